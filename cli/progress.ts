// The line that follows a sync: pages, pages a second, what is being read, failures.
import { setTimeout as delay } from 'node:timers/promises'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import {
  type EmbeddingProgress,
  RunStatus,
  type SyncRun,
  type WatchSyncResponse,
} from '../gen/lectern/v1/sync_pb.js'

const finals = [RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED]

export interface ProgressOutput {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

/** Draws each state over the one before; on what is no terminal, only the end. Answers the run as it ended. */
export async function followSync(
  states: AsyncIterable<WatchSyncResponse>,
  output: ProgressOutput,
): Promise<SyncRun | null> {
  let last: SyncRun | null = null
  for await (const { run, url } of states) {
    if (!run) continue
    last = run
    const isFinal = finals.includes(run.status)
    const line = progressLine(run, url ?? null, new Date())
    if (output.isTTY)
      output.write(`\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}${isFinal ? '\n' : ''}`)
    else if (isFinal) output.write(`${line}\n`)
  }
  return last
}

/** Seconds without any section more, after which nobody goes on looking: the model may not be there. */
const maxStill = 120

/** Draws how far the sections of a run are embedded, which goes on after its end; on what is no terminal, only the end. */
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

/** `running  120 of 526 pages, 61/s, 2 failed  https://…` */
function progressLine(run: SyncRun, url: string | null, now: Date): string {
  const { discovered = 0, pending = 0, failed = 0, skipped = 0 } = run.pages ?? {}
  const done = discovered - pending
  const start = run.startedAt && timestampDate(run.startedAt)
  const end = run.finishedAt ? timestampDate(run.finishedAt) : now
  const seconds = start ? Math.max(0.001, (end.getTime() - start.getTime()) / 1_000) : 0
  const parts = [
    `${done} of ${discovered} pages`,
    `${seconds ? Math.round(done / seconds) : 0}/s`,
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(failed ? [`${failed} failed`] : []),
    ...(run.embedding ? [`${run.embedding.done} of ${run.embedding.total} sections embedded`] : []),
  ]
  // What of the sources failed follows on lines of its own.
  const error = run.sourcesFailed > 0 ? null : run.error
  const reading = finals.includes(run.status) ? error : url
  return `${RunStatus[run.status].toLowerCase()}  ${parts.join(', ')}${reading ? `  ${reading}` : ''}`
}
