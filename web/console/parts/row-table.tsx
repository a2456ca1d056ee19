// A table of a long list. Only the rows in view are rendered, so 50,000 rows cost as much as 50.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../../components/store.ts'
import { Failure, Waiting } from './notices.tsx'
import type { PagedRows } from './paged-rows.ts'

export interface Column<T> {
  title: string
  /** CSS width. Without one, the column takes the remaining width. */
  width?: string
  /** Hidden in a narrow window. */
  isWide?: boolean
  /** Aligns digits. */
  isNumber?: boolean
  /** Text stays on one line, because all rows have the same height. */
  cell(row: T): ComponentChildren
  /** Text below the cell in a narrow window, in place of hidden columns. Up to three lines are shown. */
  below?(row: T): ComponentChildren
}

interface RowTableProps<T> {
  label: string
  columns: Column<T>[]
  rows: PagedRows<T>
  /** Shown in place of a table without rows. */
  empty: ComponentChildren
  /** Pixels. */
  rowHeight?: number
  /** Whether the screen itself reports failures. */
  isQuiet?: boolean
}

/** Rendered rows above and below the view. */
const margin = 10
/** Pixels of a row with text below a cell. */
const tallRow = 96
/** As in tables.css. */
const narrow = matchMedia('(max-width: 48rem)')

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const change = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', change)
    return () => narrow.removeEventListener('change', change)
  }, [])
  return isNarrow
}

export function RowTable<T>({
  label,
  columns,
  rows,
  empty,
  rowHeight: normalHeight = 38,
  isQuiet = false,
}: RowTableProps<T>) {
  const isTall = useNarrow() && columns.some(({ below }) => below)
  const rowHeight = isTall ? tallRow : normalHeight
  const { count, error } = useStore(rows.state)
  const box = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ first: 0, last: 40 })

  function measure() {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {}
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin)
    const last = Math.ceil((scrollTop + clientHeight) / rowHeight) + margin
    setSeen((now) => (now.first === first && now.last === last ? now : { first, last }))
  }

  useLayoutEffect(measure, [count === null, rowHeight])
  useEffect(() => rows.show(seen.first, Math.min(seen.last, (count ?? 1) - 1)), [rows, seen, count])
  // New filters start at the top.
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = 0
  }, [rows])

  if (error && count === null) return <Failure error={error} onRetry={rows.refresh} />
  if (count === null) return <Waiting />
  if (count === 0) return <>{empty}</>
  const first = Math.min(seen.first, count)
  const last = Math.min(seen.last, count)
  const drawn = Array.from({ length: last - first }, (_, at) => first + at)
  return (
    <>
      {error && !isQuiet && <Failure error={error} onRetry={rows.refresh} />}
      <div class="table-box" ref={box} onScroll={measure} tabIndex={0} role="region" aria-label={label}>
        <table aria-rowcount={count + 1}>
          <thead>
            <tr>
              {columns.map(({ title, width, ...column }) => (
                <th key={title} scope="col" class={toClass(column)} style={width ? { width } : {}}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space rows={first} rowHeight={rowHeight} />
            {drawn.map((at) => {
              const row = rows.row(at)
              return (
                <tr key={at} aria-rowindex={at + 2} style={{ height: `${rowHeight}px` }}>
                  {columns.map(({ title, cell, below, ...column }) => (
                    <td key={title} class={toClass(column)}>
                      {row === undefined ? <span class="quiet">…</span> : cell(row)}
                      {row !== undefined && isTall && below && <div class="below">{below(row)}</div>}
                    </td>
                  ))}
                </tr>
              )
            })}
            <Space rows={count - last} rowHeight={rowHeight} />
          </tbody>
        </table>
      </div>
    </>
  )
}

/** As high as the rows that are not rendered. It spans no columns, because that would restore hidden columns. */
function Space({ rows, rowHeight }: { rows: number; rowHeight: number }) {
  return (
    <tr class="space" hidden={rows === 0}>
      <td style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  )
}

function toClass({ isWide, isNumber }: Pick<Column<never>, 'isWide' | 'isNumber'>): string {
  return [...(isWide ? ['wide'] : []), ...(isNumber ? ['number'] : [])].join(' ')
}
