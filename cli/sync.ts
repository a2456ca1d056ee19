// `lectern sync`: starts a sync, and follows it with --wait.
import { RunStatus, RunTrigger, SyncRunSchema, SyncSummarySchema } from '../gen/lectern/v1/sync_pb.js'
import type { CoreClient } from './client.ts'
import { describeFailedSources } from './failed-sources.ts'
import { type PrintOptions, printJson, printLine, withoutControls } from './print.ts'
import { followSync } from './progress.ts'

interface SyncOptions extends PrintOptions {
  wait?: boolean
}

/** With `wait`, sets exit code 1 when the run did not complete or could not read a source. */
export async function sync(client: CoreClient, slug: string, { wait, json }: SyncOptions): Promise<void> {
  const { run } = await client.syncs.startSync({ slug, trigger: RunTrigger.CLI })
  if (!run) return
  if (!wait) {
    if (json) printJson(SyncSummarySchema, run)
    else printLine(`Sync ${run.uuid} is ${RunStatus[run.status].toLowerCase()}.`)
    return
  }
  const ended = await followSync(client.syncs.watchSync({ slug, syncUuid: run.uuid }), process.stderr)
  if (ended && json) printJson(SyncRunSchema, ended)
  if (ended?.status === RunStatus.COMPLETED && ended.sourcesFailed === 0) return
  process.exitCode = 1
  if (!ended?.sourcesFailed) return
  process.stderr.write(`${withoutControls(await describeFailedSources(client.sources, slug))}\n`)
}
