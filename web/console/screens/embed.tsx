// C6: the markup to put into pages, a preview of the widget, and other requirements of embedding.
import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { listMcpClients } from '../../components/mcp-clients.ts'
import {
  toWidgetMarkup,
  type WidgetElement,
  widgetAttributes,
  widgetElements,
} from '../../components/widget-markup.ts'
import { projectHref, type ScreenProps, server } from '../address.ts'
import { keyUses } from '../key-uses.ts'
import { useLoad } from '../load.ts'
import { Snippet } from '../parts/copied.tsx'
import { ChoiceField, TextField } from '../parts/form.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { sayError } from '../parts/toasts.tsx'
import type { Project } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'
import { OldMarkup } from './old-markup.tsx'

type Values = Record<string, string>

/** The most used colors and shapes. */
const properties: [name: string, label: string, placeholder: string][] = [
  ['--lectern-accent', 'Accent', '#0b62d6'],
  ['--lectern-on-accent', 'Text on the accent', '#ffffff'],
  ['--lectern-surface', 'Surface', '#ffffff'],
  ['--lectern-text', 'Text', '#211e1a'],
  ['--lectern-font', 'Font', 'Inter, sans-serif'],
  ['--lectern-radius-l', 'Radius', '12px'],
]

export function Screen({ parameters: { slug = '' } }: ScreenProps) {
  const { value, error, reload } = useLoad(
    (signal) => api.get<Project>(projectPath(slug), {}, signal),
    [slug],
  )
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  return (
    <section>
      <Head title="Embed" about="Search and answers on the pages of your site." />
      <Builder project={value} />
      <AllowedDomains project={value} />
      <Policy />
      <OldMarkup />
      <Agents project={value} />
    </section>
  )
}

function Builder({ project }: { project: Project }) {
  const [name, setName] = useState<WidgetElement>('lectern-search')
  const [values, setValues] = useState<Values>({})
  const [styles, setStyles] = useState<Values>({})
  const [apiKey, setApiKey] = useState('')
  const [integrity, setIntegrity] = useState('')
  const given = { project: project.slug, ...(apiKey !== '' && { 'api-key': apiKey }), ...values }
  const script: Values = integrity === '' ? {} : { integrity, crossorigin: 'anonymous' }
  const snippet = [toStyles(name, styles), toWidgetMarkup({ server, name, values: given, script })]

  return (
    <>
      <div class="card">
        <h2>The widget</h2>
        <fieldset class="checks">
          <legend class="label">Element</legend>
          {(Object.keys(widgetElements) as WidgetElement[]).map((each) => (
            <label key={each}>
              <input type="radio" name="element" checked={each === name} onChange={() => setName(each)} />
              {widgetElements[each]}
            </label>
          ))}
        </fieldset>
        <details>
          <summary>
            <h3>Texts and behavior</h3>
          </summary>
          <div class="settings">
            {Object.entries(widgetAttributes).map(([each, choices]) => (
              <Control key={each} name={each} choices={choices} values={values} onChange={setValues} />
            ))}
          </div>
        </details>
        <details>
          <summary>
            <h3>Theme</h3>
          </summary>
          <p class="quiet">
            Without these, the widget has its own colors and follows the page’s light or dark scheme. A color
            for each: light-dark(#0b62d6, #7fb2ff).
          </p>
          <div class="settings">
            {properties.map(([each, label, placeholder]) => (
              <Control
                key={each}
                name={each}
                label={label}
                placeholder={placeholder}
                values={styles}
                onChange={setStyles}
              />
            ))}
          </div>
        </details>
        {project.is_private && <PrivateKey slug={project.slug} apiKey={apiKey} onMade={setApiKey} />}
        <Integrity value={integrity} onChange={setIntegrity} />
        <Snippet label="For your pages" text={snippet.filter((part) => part !== '').join('\n')} />
      </div>
      <Preview name={name} attributes={given} styles={styles} />
    </>
  )
}

/** The changed properties as a style sheet, because a policy may forbid style attributes. */
function toStyles(name: string, styles: Values): string {
  const lines = Object.entries(styles).map(
    ([property, value]) => `  ${property}: ${value.replaceAll(/[<>{};]/g, '')};`,
  )
  return lines.length === 0 ? '' : `<style>\n${name} {\n${lines.join('\n')}\n}\n</style>`
}

interface ControlProps {
  name: string
  label?: string
  choices?: string[]
  placeholder?: string
  values: Values
  onChange(values: Values): void
}

function Control({ name, label = name, choices = [], placeholder = '', values, onChange }: ControlProps) {
  const { [name]: value = '', ...others } = values
  const frame = { name, label, value }
  const take = (text: string) => onChange(text === '' ? others : { ...values, [name]: text })
  if (choices.length === 0) return <TextField {...frame} placeholder={placeholder} onChange={take} />
  const options = [['', 'default'], ...choices.map((choice) => [choice, choice])] as [string, string][]
  return <ChoiceField {...frame} options={options} onChange={take} />
}

/** The element itself. It calls this server as it would on any site. */
function Preview({ name, attributes, styles }: { name: string; attributes: Values; styles: Values }) {
  useEffect(() => void import(`${server}widget.js`).catch(sayError), [])
  // Sets properties one by one by script, which no policy forbids.
  const place = (element: HTMLElement | null) => {
    if (!element) return
    for (const [property] of properties) element.style.removeProperty(property)
    for (const [property, value] of Object.entries(styles)) element.style.setProperty(property, value)
  }
  return (
    <div class="card preview" role="region" aria-label="Preview">
      <h2>Preview</h2>
      <div>{h(name, { ...attributes, key: name, ref: place } as object)}</div>
    </div>
  )
}

interface PrivateKeyProps {
  slug: string
  apiKey: string
  onMade(key: string): void
}

/** A private project's widget needs a key with only its two permissions. */
function PrivateKey({ slug, apiKey, onMade }: PrivateKeyProps) {
  const { permissions } = keyUses.chat!
  async function make() {
    const body = { name: `Widget of ${slug}`, permissions, projects: [slug] }
    onMade((await api.post<{ key: string }>('keys/', body)).key)
  }
  return (
    <div class="notice">
      <p>
        The project is private, so the widget needs a key. Every reader of the page can read it: give it{' '}
        {permissions.join(' and ')} for this project alone, and put it only into pages that strangers cannot
        open.
      </p>
      {apiKey !== '' ? (
        <p role="status">The key is in the snippet below. It is shown only now.</p>
      ) : (
        may('keys_create') &&
        permissions.every(may) && (
          <button type="button" onClick={() => void make().catch(sayError)}>
            Make such a key
          </button>
        )
      )}
    </div>
  )
}

/** A hash pins a version of the script. Useful only if the site and Lectern are upgraded together. */
function Integrity({ value, onChange }: { value: string; onChange(value: string): void }) {
  // Pages without TLS cannot hash.
  if (!globalThis.crypto?.subtle) return null
  async function pin(isOn: boolean) {
    if (!isOn) return onChange('')
    const bytes = await (await fetch(`${server}widget.js`)).arrayBuffer()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes))
    onChange(`sha384-${btoa(String.fromCharCode(...digest))}`)
  }
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={value !== ''}
        onChange={(event) => void pin(event.currentTarget.checked).catch(sayError)}
      />
      <span>
        Pin the script to this version (SRI).{' '}
        <span class="quiet">
          Browsers then refuse any other: after each upgrade of Lectern, copy the snippet again.
        </span>
      </span>
    </label>
  )
}

function AllowedDomains({ project }: { project: Project }) {
  const domains = project.allowed_domains
  return (
    <div class="card">
      <h2>Allowed domains</h2>
      <p>
        {domains.length === 0
          ? 'Pages of any site may ask without a key.'
          : `Pages of these hosts may ask without a key: ${domains.join(', ')}.`}{' '}
        Searching is not limited to them, so that previews of the documentation keep their search.
      </p>
      {may('projects_update') && (
        <a href={projectHref(project.slug, 'settings')}>Change them in the settings</a>
      )}
    </div>
  )
}

function Policy() {
  const { origin, host, protocol } = new URL(server)
  const socket = `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`
  return (
    <div class="card">
      <h2>Content Security Policy</h2>
      <p>A page with a policy adds these sources. It needs no nonce and no unsafe-inline.</p>
      <Snippet label="Directives" text={`script-src ${origin};\nconnect-src ${origin} ${socket};`} />
    </div>
  )
}

function Agents({ project }: { project: Project }) {
  const { slug, config } = project
  return (
    <div class="card">
      <h2>Agents</h2>
      {config.mcp.enabled ? (
        <>
          <p>
            Programs with a language model read the documentation over MCP.{' '}
            {project.is_private
              ? 'They need a key with the permission search, and chats_create for questions.'
              : 'The project is public: they need no key.'}
          </p>
          {listMcpClients({ server, slug, hasKey: project.is_private }).map(({ name, file, settings }) => (
            <Snippet key={file} label={`${name}, in ${file}`} text={JSON.stringify(settings, null, 2)} />
          ))}
        </>
      ) : (
        <p>
          The project does not serve its documentation over MCP.{' '}
          {may('projects_update') && <a href={projectHref(slug, 'settings')}>Turn it on in the settings</a>}
        </p>
      )}
    </div>
  )
}
