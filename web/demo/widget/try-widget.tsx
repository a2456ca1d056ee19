// A page to try the widget: its elements with attributes that can be changed, and the markup to copy.
import { h, render } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../components/copy.tsx'
import { readPlace } from '../page-address.ts'

const { slug, server } = readPlace(location)

/** Attributes of all elements: what each takes; [] takes any text. */
const attributes: Record<string, string[]> = {
  variant: ['field', 'button', 'icon', 'float'],
  position: ['bottom-right', 'bottom-left', 'top-right', 'top-left', 'center-right', 'center-left'],
  theme: ['light', 'dark'],
  lang: ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh'],
  scope: ['site', 'all'],
  privacy: ['none'],
  placeholder: [],
  shortcuts: [],
  heading: [],
  greeting: [],
  suggestions: [],
  hide: [],
}

const elements = {
  'lectern-search': 'A field that opens the search',
  'lectern-ask': 'A floating button that opens the conversation',
  'lectern-panel': 'The search as part of the page',
}

type Values = Record<string, string>

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** What a site puts into its pages. */
function toMarkup(name: string, values: Values): string {
  const given = Object.entries(values).map(
    ([attribute, value]) => ` ${attribute}="${escapeAttribute(value)}"`,
  )
  return `<script async src="${server}widget.js"></script>\n<${name}${given.join('')}></${name}>`
}

function TryWidget() {
  const [name, setName] = useState<string>('lectern-search')
  const [values, setValues] = useState<Values>({})
  const given = { project: slug, ...values }
  const markup = toMarkup(name, given)

  function change(attribute: string, value: string) {
    const { [attribute]: _, ...others } = values
    setValues(value === '' ? others : { ...others, [attribute]: value })
  }

  return (
    <main>
      <h1>Try the widget</h1>
      <p>
        Change the attributes, then copy the markup into your pages.{' '}
        <a href={`${server}manual/widget.html`}>The manual</a> describes them.{' '}
        <a href="../">Back to the search page.</a>
      </p>
      <fieldset>
        <legend>Element</legend>
        {Object.entries(elements).map(([each, text]) => (
          <label key={each}>
            <input type="radio" name="element" checked={each === name} onChange={() => setName(each)} />{' '}
            <code>{each}</code> {text}
          </label>
        ))}
      </fieldset>
      <fieldset class="attributes">
        <legend>Attributes</legend>
        {Object.entries(attributes).map(([attribute, choices]) => (
          <div key={attribute}>
            <label for={attribute}>
              <code>{attribute}</code>
            </label>
            <Control name={attribute} choices={choices} value={values[attribute] ?? ''} onChange={change} />
          </div>
        ))}
      </fieldset>
      <section class="preview" aria-label="Preview">
        {h(name, { ...given, key: name })}
      </section>
      <section class="markup" aria-label="Markup">
        <pre tabIndex={0}>{markup}</pre>
        <CopyButton text={markup} label="Copy the markup" />
      </section>
    </main>
  )
}

interface ControlProps {
  name: string
  choices: string[]
  value: string
  onChange(name: string, value: string): void
}

function Control({ name, choices, value, onChange }: ControlProps) {
  if (choices.length === 0) {
    return <input id={name} value={value} onChange={(event) => onChange(name, event.currentTarget.value)} />
  }
  return (
    <select id={name} value={value} onChange={(event) => onChange(name, event.currentTarget.value)}>
      <option value="">default</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  )
}

render(<TryWidget />, document.body)
