// A field that is an ordered list of objects with a few text fields each.
import type { ComponentChildren } from 'preact'
import { Complaint, TextField } from './form.tsx'

type Row<Name extends string> = Record<Name, string>

interface RowsProps<Name extends string> {
  /** Name of the list in the API. */
  name: string
  label: string
  hint: ComponentChildren
  /** Name of one object: `filter`. */
  one: string
  texts: Record<Name, { label: string; placeholder?: string }>
  value: Row<Name>[]
  onChange(value: Row<Name>[]): void
}

export function RowsField<Name extends string>({
  name,
  label,
  hint,
  one,
  texts,
  value,
  onChange,
}: RowsProps<Name>) {
  const names = Object.keys(texts) as Name[]
  const change = (at: number, part: Partial<Row<Name>>) =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...part } : each)))
  const move = (at: number) => {
    const moved = [...value]
    moved.splice(at - 1, 0, ...moved.splice(at, 1))
    onChange(moved)
  }
  const add = () => onChange([...value, Object.fromEntries(names.map((each) => [each, ''])) as Row<Name>])
  return (
    <fieldset class="rows">
      <legend class="label">{label}</legend>
      <p class="quiet">{hint}</p>
      {value.map((row, at) => (
        <div key={at} class="rows-row" role="group" aria-label={`${one} ${at + 1}`}>
          {names.map((each) => (
            <TextField
              key={each}
              {...texts[each]}
              name={`${name}[${at}].${each}`}
              value={row[each]}
              onChange={(text) => change(at, { [each]: text } as Partial<Row<Name>>)}
            />
          ))}
          <div class="row">
            <button
              type="button"
              name={`${name}[${at}].position`}
              disabled={at === 0}
              onClick={() => move(at)}
            >
              Move up
            </button>
            <button type="button" onClick={() => onChange(value.filter((_, index) => index !== at))}>
              Remove
            </button>
          </div>
        </div>
      ))}
      {value.length === 0 && <Complaint name={name} />}
      <div class="row">
        <button type="button" onClick={add}>
          Add a {one.toLowerCase()}
        </button>
      </div>
    </fieldset>
  )
}
