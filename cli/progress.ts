// Progress of a run on a terminal: pages, pages a second, what is being read, sections embedded, and sources that failed.
import { setTimeout as delay } from 'node:timers/promises'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { CallOptions } from '@connectrpc/connect'
import { SourceState } from '../gen/lectern/v1/source_pb.js'
import {
  type EmbeddingProgress,
  RunStatus,
  type SyncRun,
  type WatchSyncResponse,
} from '../gen/lectern/v1/sync_pb.js'
import type { CliClient } from './client.ts'

const finals = [RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED]

export interface ProgressOutput {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** Redraws each state. Without a terminal, prints only the last. Returns the ended run. */
export async function followSync(
  states: AsyncIterable<WatchSyncResponse>,
  output: ProgressOutput,
): Promise<SyncRun | null> {
  let last: SyncRun | null = null
  for await (const { run, url } of states) {
    if (!run) continue
    last = run
    const isFinal = finals.includes(run.status)
    const parts = toParts(run, url ?? null, new Date())
    if (isFinal)
      output.write(`${output.isTTY ? '\r\u001b[2K' : ''}${finalLines(parts, countColumns(output))}\n`)
    else if (output.isTTY) output.write(`\r\u001b[2K${liveLine(parts, countColumns(output))}`)
  }
  return last
}

/** Seconds without progress after which it stops waiting: the model may be missing. */
const maxStill = 120

/** Draws the embedding progress, which continues after the run. Without a terminal, prints only the end. */
export async function followEmbedding(
  read: () => Promise<EmbeddingProgress | undefined>,
  output: ProgressOutput,
  pause: () => Promise<unknown> = () => delay(1_000, undefined, { ref: false }),
): Promise<void> {
  let before = 0
  for (let still = 0; still < maxStill; still++) {
    const now = await read().catch(() => undefined)
    if (now === undefined || now.total === 0) return
    const isWhole = now.done + now.refused >= now.total
    if (now.done > before || isWhole) {
      const line = `embedding  ${now.done} of ${now.total} sections`
      if (output.isTTY) output.write(`\r\u001b[2K${line}${isWhole ? '\n' : ''}`)
      else if (isWhole) output.write(`${line}\n`)
      still = 0
    }
    if (isWhole) return
    before = now.done
    await pause()
  }
}

interface Parts {
  /** `running  120 of 526 pages, 61/s, 2 failed`: at most 72 characters, for counts of up to five digits. */
  counts: string
  /** `640 of 1713 sections embedded`; empty where embeddings are off. */
  embedded: string
  /** The page or source being read. After the run, its error. */
  about: string
}

function toParts(run: SyncRun, url: string | null, now: Date): Parts {
  const { discovered = 0, pending = 0, failed = 0, skipped = 0 } = run.pages ?? {}
  const done = discovered - pending
  const start = run.startedAt && timestampDate(run.startedAt)
  const end = run.finishedAt ? timestampDate(run.finishedAt) : now
  const seconds = start ? Math.max(0.001, (end.getTime() - start.getTime()) / 1_000) : 0
  const counts = [
    `${done} of ${discovered} pages`,
    `${seconds ? Math.round(done / seconds) : 0}/s`,
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(failed ? [`${failed} failed`] : []),
  ]
  // Errors of sources follow on separate lines.
  const error = run.sourcesFailed > 0 ? null : run.error
  return {
    counts: `${RunStatus[run.status].toLowerCase()}  ${counts.join(', ')}`,
    embedded: run.embedding ? `${run.embedding.done} of ${run.embedding.total} sections embedded` : '',
    about: (finals.includes(run.status) ? error : url) ?? '',
  }
}

/** Leaves the last column empty: some terminals would wrap. */
const countColumns = ({ isTTY, columns = 80 }: ProgressOutput) =>
  isTTY ? columns - 1 : Number.POSITIVE_INFINITY

/** Below this, a shortened address identifies nothing. */
const minAddress = 16

/** One line. A long address is cut at its beginning. Parts that do not fit are omitted. */
function liveLine({ counts, embedded, about }: Parts, columns: number): string {
  const line =
    embedded !== '' && counts.length + 2 + embedded.length <= columns ? `${counts}, ${embedded}` : counts
  const room = columns - line.length - 2
  if (about === '' || room < Math.min(minAddress, about.length)) return line.slice(0, columns)
  return `${line}  ${about.length > room ? `…${about.slice(1 - room)}` : about}`
}

/** Nothing is cut: a part that does not fit on the line gets its own. */
function finalLines({ counts, embedded, about }: Parts, columns: number): string {
  let lines = counts
  for (const [separator, part] of [
    [', ', embedded],
    ['  ', about],
  ] as const) {
    if (part === '') continue
    const last = lines.slice(lines.lastIndexOf('\n') + 1)
    lines += last.length + separator.length + part.length <= columns ? separator + part : `\n  ${part}`
  }
  return lines
}

/** `1 source could not be read: …`. Several sources get a line each. */
export async function describeFailedSources(
  sources: Pick<CliClient['sources'], 'listSources'>,
  slug: string,
  options: CallOptions = {},
): Promise<string> {
  const { results } = await sources.listSources({ slug, all: true }, options)
  const failed = results.filter(({ state }) => state === SourceState.FAILED)
  const errors = failed.map(({ name, lastError = '' }) =>
    failed.length > 1 ? `  ${name}: ${lastError}` : ` ${lastError}`,
  )
  const [count, separator] = failed.length === 1 ? ['1 source', ''] : [`${failed.length} sources`, '\n']
  return `${count} could not be read:${separator}${errors.join('\n')}`
}
