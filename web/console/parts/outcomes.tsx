// Charts of the outcomes of pages in runs. Colors are always accompanied by counts.

import type { PageCounts, SyncRun } from '../rows.ts'
import { outcomes } from '../runs.ts'
import { formatNumber } from './values.tsx'

const parts = [...outcomes.map(([name]) => name), 'pending'] as const

/** A run as a bar. Its outcomes add up to the discovered pages. */
export function OutcomeBar({ pages }: { pages: PageCounts }) {
  const total = Math.max(1, pages.discovered)
  let x = 0
  const label = parts.map((name) => `${pages[name]} ${name}`).join(', ')
  return (
    <svg class="outcomes" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label={label}>
      {parts.map((name) => {
        const width = (pages[name] / total) * 1_000
        x += width
        return <rect key={name} class={`outcome-${name}`} x={x - width} width={width} height="20" />
      })}
    </svg>
  )
}

export function Legend() {
  return (
    <ul class="legend">
      {parts.map((name) => (
        <li key={name}>
          <span class={`swatch outcome-${name}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  )
}

const barWidth = 22
const gap = 6
const height = 110

/** Runs as columns, oldest first. `toHref`: address of a run's view. */
export function RunColumns({ runs, toHref }: { runs: SyncRun[]; toHref(run: SyncRun): string }) {
  const most = Math.max(1, ...runs.map(({ pages }) => pages.discovered))
  const width = runs.length * (barWidth + gap)
  return (
    <div class="scroll chart" tabIndex={0} role="region" aria-label="Outcomes of the last runs">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>Outcomes of the last {runs.length} runs, the newest at the right</title>
        {runs.map((run, at) => {
          const { pages, status, created_at } = run
          let y = height
          const date = new Date(created_at).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
          const counts = parts
            .filter((name) => pages[name] > 0)
            .map((name) => `${formatNumber(pages[name])} ${name}`)
          const label = `${date}: ${status}. ${counts.join(', ')}`
          return (
            <a key={run.uuid} href={toHref(run)} aria-label={label}>
              <title>{label}</title>
              <rect class="ground" x={at * (barWidth + gap)} width={barWidth} height={height} />
              {parts.map((name) => {
                const size = (pages[name] / most) * (height - 6)
                y -= size
                const place = { x: at * (barWidth + gap), y, width: barWidth, height: size }
                return <rect key={name} class={`outcome-${name}`} {...place} />
              })}
              {(status === 'failed' || status === 'cancelled') && (
                <rect class={`mark-${status}`} x={at * (barWidth + gap)} y="0" width={barWidth} height="4" />
              )}
            </a>
          )
        })}
      </svg>
    </div>
  )
}
