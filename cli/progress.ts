// Progress of a run on a terminal: pages, pages a second, what is being read, sections embedded, and sources that failed.
import { setTimeout as delay } from 'node:timers/promises'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import { withoutControls } from './print.ts'

const finals = ['completed', 'failed', 'cancelled']

export interface ProgressOutput {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** Starts a sync, and draws its progress and the sources that it could not read. Returns the ended run. */
export async function syncToEnd(
  client: CliClient,
  slug: string,
  output: ProgressOutput,
): Promise<JsonObject | null> {
  const { startSync, watchSync } = SyncService.method
  const { uuid } = await client.call(startSync, { slug, trigger: 'cli' })
  const ended = await followSync(client.stream(watchSync, { slug, sync_uuid: uuid }), output)
  if (ended?.sources_failed) {
    // A key may run syncs, but not list sources.
    const described = await describeFailedSources(client, slug).catch(() => 'Some sources could not be read.')
    output.write(`${withoutControls(described)}\n`)
  }
  return ended
}

/** Redraws each state. Without a terminal, prints only the last. Returns the ended run. */
export async function followSync(
  states: AsyncIterable<JsonObject>,
  output: ProgressOutput,
): Promise<JsonObject | null> {
  let last: JsonObject | null = null
  for await (const { run, url } of states) {
    last = run
    const isFinal = finals.includes(run.status)
    const parts = toParts(run, url, new Date())
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
  read: () => Promise<JsonObject | null>,
  output: ProgressOutput,
  pause: () => Promise<unknown> = () => delay(1_000, undefined, { ref: false }),
): Promise<void> {
  let before = 0
  for (let still = 0; still < maxStill; still++) {
    const now = await read().catch(() => null)
    if (now === null || now.total === 0) return
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

function toParts(run: JsonObject, url: string | null, now: Date): Parts {
  const { discovered, pending, failed, skipped } = run.pages
  const done = discovered - pending
  const end = run.finished_at ?? now
  const seconds = run.started_at ? Math.max(0.001, (+new Date(end) - +new Date(run.started_at)) / 1_000) : 0
  const counts = [
    `${done} of ${discovered} pages`,
    `${seconds ? Math.round(done / seconds) : 0}/s`,
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(failed ? [`${failed} failed`] : []),
  ]
  // Errors of sources follow on separate lines.
  const error = run.sources_failed > 0 ? null : run.error
  return {
    counts: `${run.status}  ${counts.join(', ')}`,
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
export async function describeFailedSources(client: CliClient, slug: string): Promise<string> {
  const { results } = await client.call(SourceService.method.listSources, { slug, all: true })
  const failed: JsonObject[] = results.filter(({ state }: JsonObject) => state === 'failed')
  const errors = failed.map(({ name, last_error: error }) =>
    failed.length > 1 ? `  ${name}: ${error}` : ` ${error}`,
  )
  const [count, separator] = failed.length === 1 ? ['1 source', ''] : [`${failed.length} sources`, '\n']
  return `${count} could not be read:${separator}${errors.join('\n')}`
}
