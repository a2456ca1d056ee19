// Tables of few rows, in a frame that scrolls in a narrow window.
import type { ComponentChildren } from 'preact'
import type { Loaded } from '../load.ts'
import { Failure, Waiting } from './notices.tsx'

interface TableProps<T> {
  label: string
  /** Classes of the columns. `number` aligns digits; `wide` is hidden in a narrow window. */
  titles: (string | readonly [title: string, kind: 'number' | 'wide'])[]
  rows: T[]
  empty?: ComponentChildren
  /** Renders a `<tr>`. */
  children(row: T, at: number): ComponentChildren
}

type LoadedProps<T> = Omit<TableProps<T>, 'rows'> & { rows: Loaded<T[]> }

/** A table of a complete list. */
export function ShortTable<T>({ rows: { value, error, reload }, ...table }: LoadedProps<T>) {
  if (value !== null) return <PlainTable {...table} rows={value} />
  return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
}

/** A table of given rows. */
export function PlainTable<T>({ label, titles, rows, empty, children }: TableProps<T>) {
  if (rows.length === 0) return <>{empty}</>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {titles.map((each) => {
              const [title, kind] = typeof each === 'string' ? [each] : each
              return (
                <th key={title} scope="col" class={kind}>
                  {title}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{rows.map(children)}</tbody>
      </table>
    </div>
  )
}
