// Records the histories that workflows/temporal/replay.test.ts replays: `node test/servers/temporal-histories.ts`. To be done
// anew when workflows change on purpose; histories of a change that must not break running ones are kept beside the new ones.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { binaryOf } from './binaries.ts'
import { failing } from './doom.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

const folder = new URL('../fixtures/temporal/', import.meta.url)

/** Waits for the end of the workflow, and writes down what Temporal's command line shows of it. */
async function record(lab: TemporalLab, workflowId: string, name: string, runId?: string) {
  await lab.client.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => {})
  const which = ['--workflow-id', workflowId, ...(runId ? ['--run-id', runId] : [])]
  const args = ['workflow', 'show', ...which, '--output', 'json', '--address', lab.temporal.address]
  const { stdout } = await promisify(execFile)(binaryOf('temporal'), args, { maxBuffer: 2 ** 26 })
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(JSON.parse(stdout))}\n`)
}

/** A run that waits for a page of the site. */
async function beginHeld(lab: TemporalLab) {
  const held = holdPage(lab.site, '/b.html')
  const run = await lab.begin()
  await held.asked
  return { run, held }
}

async function recordSyncs() {
  const lab = await openTemporalLab()
  writePages(lab.site, ['a.html', 'b.html'])
  await lab.addSource()
  const worker = await lab.startWorker()
  await lab.sync()
  await record(lab, `sync/${slug}`, 'sync-completed')
  await beginHeld(lab)
  await lab.client.workflow.getHandle(`sync/${slug}`).cancel()
  await record(lab, `sync/${slug}`, 'sync-cancelled')
  const { run, held } = await beginHeld(lab)
  await lab.startWorker()
  await worker.close()
  held.release()
  await lab.ended(run)
  await record(lab, `sync/${slug}`, 'sync-taken-over')
  await lab.close()
}

async function recordFailed() {
  const lab = await openTemporalLab()
  await lab.addSource()
  await lab.startWorker((store) => failing(store, 'frontier.settle', () => new TypeError('a bug')))
  await lab.sync()
  await record(lab, `sync/${slug}`, 'sync-failed')
  await lab.close()
}

/** A server that asks for continue-as-new after so few events has it in the middle of a run. */
async function recordContinued() {
  const lab = await openTemporalLab(['limit.historyCount.suggestContinueAsNew=12'])
  const names = Array.from({ length: 1_100 }, (_, at) => `p${at}.html`)
  writePages(lab.site, names)
  await lab.addSource()
  await lab.startWorker()
  await lab.begin()
  const first = await lab.client.workflow.getHandle(`sync/${slug}`).describe()
  await record(lab, `sync/${slug}`, 'sync-went-on')
  await record(lab, `sync/${slug}`, 'sync-continued', first.runId)
  await lab.close()
}

async function recordBackgroundJobs() {
  const lab = await openTemporalLab()
  await lab.addSource()
  writePages(lab.site, ['a.html'])
  await lab.startWorker()
  await lab.sync()
  const recrawl = await lab.recrawl('/a.html')
  await record(lab, `recrawl/${recrawl}`, 'recrawl')
  const held = holdPage(lab.site, '/slow.html')
  const slow = await lab.recrawl('/slow.html')
  await held.asked
  await lab.client.workflow.getHandle(`recrawl/${slow}`).cancel()
  await record(lab, `recrawl/${slow}`, 'recrawl-cancelled')
  await lab.setSchedule('0 3 * * *')
  await lab.client.workflow.start('scheduledSync', {
    ...{ taskQueue: 'lectern', workflowId: `scheduled/${slug}`, args: [lab.project] },
  })
  await record(lab, `scheduled/${slug}`, 'scheduled-sync')
  await lab.close()
}

await mkdir(folder, { recursive: true })
await recordSyncs()
await recordFailed()
await recordContinued()
await recordBackgroundJobs()
