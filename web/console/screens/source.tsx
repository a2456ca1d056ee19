// C4, a source: a new one of any type, or the settings of one, with matching pages and an address tester.
import { useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { address, go, projectHref, type ScreenProps, setFilters } from '../address.ts'
import { ApiError } from '../api.ts'
import { ChangedElsewhere, keepChanges, saveChanges } from '../changes.ts'
import { useLoad } from '../load.ts'
import { Form, LinesField, NumberField, readLines, TextField } from '../parts/form.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { say } from '../parts/toasts.tsx'
import type { Source, SourceType } from '../rows.ts'
import { api } from '../session.ts'
import { formTypes, type SourceField, sourceTypes } from '../source-types.ts'
import { projectPath } from '../sources.ts'
import { GlobMatches } from './glob-matches.tsx'
import { UrlTester } from './url-tester.tsx'

/** The fields of a form by name. Lists of globs are the typed text. */
type Draft = Record<string, unknown>

/** `sources/new?type=sitemap`, or `sources/{uuid}`. */
export function Screen({ parameters: { slug = '', uuid } }: ScreenProps) {
  return uuid === undefined ? <NewSource slug={slug} /> : <ExistingSource slug={slug} uuid={uuid} />
}

function NewSource({ slug }: { slug: string }) {
  const { type: asked, url } = useStore(address).query
  const type = formTypes.find((each) => each === asked) ?? 'site'
  const [draft, setDraft] = useState<Draft>(url ? { url } : {})

  async function add() {
    const source = await api.post<Source>(projectPath(slug, 'sources/'), toBody(type, draft))
    say(`${source.name} was added. A sync reads it.`)
    go(projectHref(slug, 'sources'))
  }

  return (
    <section>
      <Head title="Add a source" about={<a href={projectHref(slug, 'sources')}>All sources</a>} />
      <fieldset class="types">
        <legend>Type</legend>
        {formTypes.map((each) => (
          <label key={each} class="card">
            <span class="row">
              <input
                type="radio"
                name="type"
                checked={each === type}
                onChange={() => setFilters({ type: each })}
              />
              <strong>{sourceTypes[each].title}</strong>
            </span>
            <span class="quiet">{sourceTypes[each].about}</span>
          </label>
        ))}
      </fieldset>
      <div class="beside">
        <div class="card">
          <Form submit="Add the source" onSubmit={add}>
            <Fields key={type} type={type} draft={draft} onChange={setDraft} />
          </Form>
        </div>
        <Checks slug={slug} type={type} draft={draft} uuid={null} />
      </div>
    </section>
  )
}

function ExistingSource({ slug, uuid }: { slug: string; uuid: string }) {
  const path = projectPath(slug, `sources/${uuid}/`)
  const { value, error, reload } = useLoad((signal) => api.get<Source>(path, {}, signal), [path])
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  return <EditSource slug={slug} source={value} />
}

function EditSource({ slug, source }: { slug: string; source: Source }) {
  const { uuid, type } = source
  const [before, setBefore] = useState<Draft>(() => toDraft(source))
  const [draft, setDraft] = useState<Draft>(before)

  async function save() {
    const path = projectPath(slug, `sources/${uuid}/`)
    const { credentials } = toBody(type, draft)
    try {
      const change = { before: toSettings(type, before), after: toSettings(type, draft) }
      let saved = await saveChanges<Source>(path, change as unknown as { before: Source; after: Source })
      if (credentials) saved = await api.patch<Source>(path, { credentials })
      if (saved === null) return say('Nothing was changed.')
      setBefore(toDraft(saved))
      setDraft(toDraft(saved))
      say('The source was saved. The next sync reads it so.')
    } catch (error) {
      if (error instanceof ChangedElsewhere) {
        const current = toDraft(error.current as Source)
        setDraft(keepChanges(before, draft, { ...draft, ...current }))
        setBefore(current)
      }
      throw error
    }
  }

  return (
    <section>
      <Head
        title={String(before.name ?? '')}
        about={
          <>
            {sourceTypes[type].title} · <a href={projectHref(slug, 'sources')}>all sources</a>
          </>
        }
      />
      {source.last_error && (
        <div class="notice bad">
          <p>{source.last_error}</p>
        </div>
      )}
      <div class="beside">
        <div class="card">
          <Form submit="Save" onSubmit={save}>
            <Fields type={type} draft={draft} onChange={setDraft} isSaved />
          </Form>
        </div>
        <Checks slug={slug} type={type} draft={draft} uuid={uuid} />
      </div>
    </section>
  )
}

interface ChecksProps {
  slug: string
  type: SourceType
  draft: Draft
  uuid: string | null
}

/** The effect of unsaved settings. */
function Checks({ slug, type, draft, uuid }: ChecksProps) {
  if (type !== 'site' && type !== 'sitemap' && type !== 'url') return null
  const source = toBody(type, draft, { hasSecrets: false })
  return (
    <div class="source-checks">
      {type !== 'url' && <GlobMatches slug={slug} type={type} uuid={uuid} source={source} />}
      <UrlTester slug={slug} type={type} uuid={uuid} readSource={() => toBody(type, draft)} />
    </div>
  )
}

interface FieldsProps {
  type: SourceType
  draft: Draft
  onChange(draft: Draft): void
  isSaved?: boolean
}

function Fields({ type, draft, onChange, isSaved = false }: FieldsProps) {
  const set = (name: string) => (value: unknown) => onChange({ ...draft, [name]: value })
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint={
          sourceTypes[type].fields.some(({ name }) => name === 'url') ? 'Empty: made from the address.' : ''
        }
        value={String(draft.name ?? '')}
        onChange={set('name')}
      />
      {sourceTypes[type].fields
        .filter(
          ({ name, kind }) => !isSaved || !((kind === 'json' && draft.url) || (name === 'url' && !draft.url)),
        )
        .map((field) => (
          <SourceInput
            key={field.name}
            field={field}
            value={draft[field.name]}
            onChange={set(field.name)}
            isDisabled={isSaved && field.isFixed === true}
            isSaved={isSaved}
          />
        ))}
    </>
  )
}

interface InputProps {
  field: SourceField
  value: unknown
  onChange(value: unknown): void
  isDisabled: boolean
  isSaved: boolean
}

function SourceInput({ field, value, onChange, isDisabled, isSaved }: InputProps) {
  const { name, label, kind, placeholder = '' } = field
  const hint = isSaved && field.savedHint ? `${field.hint} ${field.savedHint}` : field.hint
  const frame = { name, label, isDisabled, hint: isDisabled ? 'Cannot be changed.' : hint, placeholder }
  if (kind === 'globs') return <LinesField {...frame} value={(value as string[]) ?? []} onChange={onChange} />
  if (kind === 'number')
    return <NumberField {...frame} value={(value as number | null) ?? null} onChange={onChange} />
  const text = { ...frame, value: String(value ?? ''), onChange }
  if (kind === 'json') return <TextField {...text} lines={6} />
  if (kind === 'headers') return <TextField {...text} lines={2} />
  return <TextField {...text} type={kind === 'secret' ? 'password' : kind} />
}

/** The object for the API: omits empty secrets, and splits lines into lists. */
function toBody(type: SourceType, draft: Draft, { hasSecrets = true } = {}): Draft {
  const body: Draft = { type }
  const name = String(draft.name ?? '').trim()
  if (name !== '') body.name = name
  const credentials: Draft = {}
  for (const field of sourceTypes[type].fields) {
    const value = draft[field.name]
    const isSecret = field.name.startsWith('credentials.')
    if (isSecret && !hasSecrets) continue
    if (field.kind === 'globs') body[field.name] = readLines((value as string[]) ?? [])
    else if (field.kind === 'number') body[field.name] = value ?? null
    else if (value === undefined || value === '') {
      if (!isSecret && field.kind !== 'json' && field.isFixed !== true) body[field.name] = null
    } else if (field.kind === 'headers') credentials.headers = readHeaders(String(value))
    else if (field.kind === 'secret') credentials[field.name.slice('credentials.'.length)] = value
    else body[field.name] = field.kind === 'json' ? value : String(value).trim()
  }
  if (Object.keys(credentials).length > 0) body.credentials = credentials
  if (typeof body.spec === 'string') body.spec = readSpec(body.spec)
  return body
}

/** One `Name: value` per line. */
function readHeaders(text: string): Record<string, string> {
  const lines = readLines(text.split('\n'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at <= 0) {
        const complaint = { 'credentials.headers': ['must be lines such as Cookie: session=1'] }
        throw new ApiError(400, `${line.slice(0, 40)} is no header.`, 'invalid', complaint)
      }
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function readSpec(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(400, 'The description is no JSON.', 'invalid', { spec: ['must be JSON'] })
  }
}

/** The settings of a saved source that can be changed, in the form's format. */
function toDraft(source: Source): Draft {
  const given = source as unknown as Draft
  const names = ['name', ...sourceTypes[source.type].fields.map(({ name }) => name)]
  return Object.fromEntries(names.filter((name) => name in given).map((name) => [name, given[name]]))
}

/** The fields that a PATCH accepts. */
function toSettings(type: SourceType, draft: Draft): Draft {
  const { type: _, ...settings } = toBody(type, draft, { hasSecrets: false })
  for (const { name, isFixed } of sourceTypes[type].fields) if (isFixed) delete settings[name]
  return settings
}
