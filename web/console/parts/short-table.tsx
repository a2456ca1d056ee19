// A table of a list that is read whole.
import type { ComponentChildren } from 'preact'
import type { Loaded } from '../load.ts'
import { Failure, Waiting } from './notices.tsx'

interface ShortTableProps<T> {
  label: string
  titles: string[]
  rows: Loaded<T[]>
  empty: ComponentChildren
  /** Draws a `<tr>`. */
  children(row: T, at: number): ComponentChildren
}

export function ShortTable<T>({ label, titles, rows, empty, children }: ShortTableProps<T>) {
  const { value, error, reload } = rows
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  if (value.length === 0) return <>{empty}</>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{value.map(children)}</tbody>
      </table>
    </div>
  )
}
