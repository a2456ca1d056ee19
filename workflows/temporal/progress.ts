// What a person sees of a run in Temporal's UI: current details, in Markdown.
import type { PageCounts } from '../../services/store/run.ts'
import type { CrawlSteps } from '../crawl.ts'

const doing: Record<keyof CrawlSteps, string> = {
  start: 'Beginning',
  readSources: 'Reading pages',
  settle: 'Removing pages that are gone',
  finish: 'Clearing the index',
}

const columns = [
  'discovered',
  'pending',
  'fetched',
  'added',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'removed',
] as const

/** `sources`: how many have been read, of how many; null where that is not known yet. */
export function toDetails(step: keyof CrawlSteps, sources: { read: number; all: number } | null): string {
  return `**${doing[step]}**${sources === null ? '' : ` (${sources.read} of ${sources.all} sources read)`}`
}

/** Of a run that has completed. */
export function toSummary(pages: PageCounts): string {
  const rows = columns.map((column) => `| ${column} | ${pages[column]} |`)
  return ['**Done**', '', '| pages | |', '|---|---:|', ...rows].join('\n')
}
