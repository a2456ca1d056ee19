// Forms: fields by the API's names, with the API's errors at their fields.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { type ApiError, renameFields } from '../api.ts'

interface FormState {
  fields: Record<string, string[]>
  /** Labels of the fields that are shown, by name. */
  labels: Map<string, string>
}

const FormContext = createContext<FormState>({ fields: {}, labels: new Map() })

interface FormProps {
  /** Sends the form. Errors of the API are shown at their fields, others above the buttons. */
  onSubmit(): Promise<void>
  submit: string
  /** More buttons. */
  actions?: ComponentChildren
  isDisabled?: boolean
  children: ComponentChildren
}

export function Form({ onSubmit, submit, actions, isDisabled = false, children }: FormProps) {
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [labels] = useState(() => new Map<string, string>())

  async function send(event: SubmitEvent) {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setBusy(true)
    try {
      await onSubmit()
      setError(null)
    } catch (cause) {
      if ((cause as Error).name === 'AbortError') return
      setError(cause as ApiError)
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    } finally {
      setBusy(false)
    }
  }

  return (
    <FormContext.Provider value={{ fields: error?.fields ?? {}, labels }}>
      <form class="form" onSubmit={send} noValidate>
        {children}
        {error && (
          <div class="notice bad" role="alert">
            <p>{nameFields(error, labels)}</p>
          </div>
        )}
        <div class="row">
          <button class="primary" type="submit" disabled={isBusy || isDisabled}>
            {submit}
          </button>
          {actions}
        </div>
      </form>
    </FormContext.Provider>
  )
}

/** The error's message with labels in place of the API's names: “Page limit” for `max_pages` and `source.max_pages`. */
export function nameFields(error: ApiError, labels: Map<string, string>): string {
  return renameFields(error, (field) => {
    const [, name = field, entry] = /^(?:source\.)?(.+?)(?:\[(\d+)\])?$/.exec(field) ?? []
    const label = labels.get(field) ?? labels.get(name)
    if (label === undefined) return field
    return `“${label}”${entry === undefined ? '' : ` (${toEntry(entry)})`}`
  })
}

const toEntry = (index: string) => `entry ${Number(index) + 1}`

/** Errors of the field and of its parts: `include[0]`, `credentials.token`. */
function readComplaints(fields: Record<string, string[]>, name: string): string[] {
  return Object.entries(fields).flatMap(([field, complaints]) => {
    if (field === name) return complaints
    if (!field.startsWith(`${name}[`) && !field.startsWith(`${name}.`)) return []
    const part = field
      .slice(name.length)
      .replace(/^\./, '')
      .replace(/^\[(\d+)\]/, (_, index) => toEntry(index))
    return complaints.map((complaint) => `${part} ${complaint}`)
  })
}

/** The error of a field that has several inputs. */
export function Complaint({ name }: { name: string }) {
  const { fields } = useContext(FormContext)
  return <p class="error">{readComplaints(fields, name).join('; ')}</p>
}

interface FieldProps<T> {
  /** As the API names it: `config.sync.schedule`. */
  name: string
  label: string
  hint?: ComponentChildren
  value: T
  onChange(value: T): void
  isDisabled?: boolean
}

type Attributes = {
  id: string
  name: string
  disabled: boolean
  'aria-invalid': boolean
  'aria-describedby': string
}

interface FrameProps extends Omit<FieldProps<unknown>, 'value' | 'onChange'> {
  /** Renders the input with these attributes. */
  children(attributes: Attributes): ComponentChildren
}

/** A label, the input, its hint, and its error. */
export function Field({ name, label, hint, isDisabled = false, children }: FrameProps) {
  const id = useId()
  const { fields, labels } = useContext(FormContext)
  labels.set(name, label)
  const complaints = readComplaints(fields, name)
  const attributes = {
    ...{ id, name, disabled: isDisabled },
    'aria-invalid': complaints.length > 0,
    'aria-describedby': `${id}-hint ${id}-error`,
  }
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children(attributes)}
      <p class="quiet" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="error" id={`${id}-error`}>
        {complaints.join('; ')}
      </p>
    </div>
  )
}

interface TextProps extends FieldProps<string> {
  type?: 'text' | 'url' | 'email' | 'password' | 'datetime-local'
  placeholder?: string
  /** More than one line. */
  lines?: number
}

export function TextField({
  value,
  onChange,
  type = 'text',
  placeholder = '',
  lines = 1,
  ...frame
}: TextProps) {
  const take = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  const autocomplete = type === 'password' ? 'new-password' : 'off'
  const given = { value, placeholder, onInput: take, spellcheck: false }
  return (
    <Field {...frame}>
      {(attributes) =>
        lines > 1 ? (
          <textarea {...attributes} {...given} rows={lines} />
        ) : (
          // biome-ignore lint/suspicious/noExplicitAny: Preact's types have one per role
          <input {...attributes} {...given} type={type as any} autocomplete={autocomplete} />
        )
      }
    </Field>
  )
}

/** Null if the field is empty. Other text is sent unchanged, so that the API reports the error. */
export function NumberField({ value, onChange, ...frame }: FieldProps<number | null>) {
  return (
    <TextField
      {...frame}
      value={value === null ? '' : String(value)}
      onChange={(text) => onChange(readNumber(text))}
    />
  )
}

function readNumber(text: string): number | null {
  if (text.trim() === '') return null
  const number = Number(text)
  return Number.isNaN(number) ? (text as unknown as number) : number
}

/** A list of texts, one per line. readLines drops empty lines when it is sent. */
export function LinesField({ value, onChange, ...rest }: FieldProps<string[]> & { placeholder?: string }) {
  const lines = Math.min(12, Math.max(3, value.length + 1))
  return (
    <TextField
      {...rest}
      lines={lines}
      value={value.join('\n')}
      onChange={(text) => onChange(text.split('\n'))}
    />
  )
}

export const readLines = (lines: string[]) => lines.map((line) => line.trim()).filter((line) => line !== '')

export function SwitchField({ value, onChange, hint, ...frame }: FieldProps<boolean>) {
  const id = useId()
  const { fields } = useContext(FormContext)
  return (
    <div class="field switch">
      <label class="row">
        <input
          type="checkbox"
          name={frame.name}
          checked={value}
          disabled={frame.isDisabled ?? false}
          aria-describedby={id}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span class="label">{frame.label}</span>
      </label>
      <p class="quiet" id={id}>
        {hint}
      </p>
      <p class="error">{readComplaints(fields, frame.name).join('; ')}</p>
    </div>
  )
}

interface ChoiceProps extends FieldProps<string> {
  options: readonly (readonly [value: string, label: string])[]
}

export function ChoiceField({ value, onChange, options, ...frame }: ChoiceProps) {
  return (
    <Field {...frame}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
