// What a person sees of a run in Temporal's UI: current details, in Markdown.
import type { Progress, StepName } from './activity-types.ts'
import type { Checkpoint } from './checkpoint.ts'

const doing: Record<StepName, string> = {
  begin: 'Beginning',
  seed: 'Reading where the sources start',
  walk: 'Reading pages',
  resolveCanonicals: 'Reading pages',
  finishSource: 'Reading pages',
  settleDeferred: 'Settling what was left open',
  removeGone: 'Removing pages that are gone',
  sweep: 'Clearing the index',
  complete: 'Done',
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

/** `ended`: how the run ended, where it did not complete. */
export function toDetails({ step, pages }: Progress, checkpoint: Checkpoint, ended?: string): string {
  const sources = checkpoint.sources
    ? ` (${checkpoint.finished.length} of ${checkpoint.sources.length} sources read)`
    : ''
  const lines = [`**${ended ?? doing[step]}**${sources}`]
  if (pages !== null) {
    lines.push(
      '',
      '| pages | |',
      '|---|---:|',
      ...columns.map((column) => `| ${column} | ${pages[column]} |`),
    )
  }
  return lines.join('\n')
}
