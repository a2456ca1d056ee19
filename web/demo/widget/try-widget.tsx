// A page to try the widget: its elements with editable attributes, and the markup to copy.
import { h, render } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../../components/copy.tsx'
import { toWidgetMarkup, widgetAttributes, widgetElements } from '../../components/widget-markup.ts'
import { readPlace } from '../page-address.ts'

const { slug, server } = readPlace(location)

type Values = Record<string, string>

function TryWidget() {
  const [name, setName] = useState<string>('lectern-search')
  const [values, setValues] = useState<Values>({})
  const given = { project: slug, ...values }
  const markup = toWidgetMarkup({ server, name, values: given })

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
        {Object.entries(widgetElements).map(([each, text]) => (
          <label key={each}>
            <input type="radio" name="element" checked={each === name} onChange={() => setName(each)} />{' '}
            <code>{each}</code> {text}
          </label>
        ))}
      </fieldset>
      <fieldset class="attributes">
        <legend>Attributes</legend>
        {Object.entries(widgetAttributes).map(([attribute, choices]) => (
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
