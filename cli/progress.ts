// The line that follows a sync: pages, pages a second, what is being read, failures.
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { RunStatus, type SyncRun, type WatchSyncResponse } from '../gen/lectern/v1/sync_pb.js'

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

/** `running  120 of 526 pages, 61/s, 2 failed  https://…` */
export function progressLine(run: SyncRun, url: string | null, now: Date): string {
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
  const reading = finals.includes(run.status) ? run.error : url
  return `${RunStatus[run.status].toLowerCase()}  ${parts.join(', ')}${reading ? `  ${reading}` : ''}`
}
