// Filters above a table. They are part of the address, so that the view can be linked.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { address, setFilters } from '../address.ts'

/** The filters of the address by name; '' if not set. */
export function useFilters<Name extends string>(...names: Name[]): Record<Name, string> {
  const { query } = useStore(address)
  return Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>
}

interface ChoiceProps {
  name: string
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  /** Label for no choice. */
  all?: string
}

export function FilterChoice({ name, label, value, options, all = 'all' }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => setFilters({ [name]: event.currentTarget.value })}>
        <option value="">{all}</option>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

const settleMs = 300

/** Typed text takes effect when typing pauses. */
export function FilterText({
  name,
  label,
  value,
  placeholder = '',
  isShort = false,
}: Omit<ChoiceProps, 'options'> & { placeholder?: string; isShort?: boolean }) {
  const [text, setText] = useState(value)
  const own = useRef(value)
  useEffect(() => {
    // Changed by a link or by Back.
    if (value !== own.current) setText(value)
    own.current = value
  }, [value])
  useEffect(() => {
    if (text === own.current) return
    const timer = setTimeout(() => {
      own.current = text
      setFilters({ [name]: text })
    }, settleMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label class={isShort ? 'short' : 'grow'}>
      {label}
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}

/** A day in UTC. */
export function FilterDay({ name, label, value }: Pick<ChoiceProps, 'name' | 'label' | 'value'>) {
  return (
    <label>
      {label}
      <input
        type="date"
        value={value}
        onChange={(event) => setFilters({ [name]: event.currentTarget.value })}
      />
    </label>
  )
}
