// Records the histories that workflows/temporal/replay.test.ts replays: `node test/servers/temporal-histories.ts`. Record
// them again if workflows change on purpose.
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { binaryOf } from './binaries.ts'
import { failing } from './doom.ts'
import { holdPage, writePages } from './held-page.ts'
import { openTemporalLab, slug, type TemporalLab } from './temporal-lab.ts'

const folder = new URL('../fixtures/temporal/', import.meta.url)

/** Waits for the end of the workflow, and writes its history as Temporal's command line prints it. */
async function record(lab: TemporalLab, workflowId: string, name: string) {
  await lab.client.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => {})
  const args = [
    'workflow',
    'show',
    '--workflow-id',
    workflowId,
    '--output',
    'json',
    '--address',
    lab.temporal.address,
  ]
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
  const sync = `sync/${slug}`
  writePages(lab.site, ['a.html', 'b.html'])
  await lab.addSource()
  const worker = await lab.startWorker()
  await lab.sync()
  await record(lab, sync, 'sync-completed')
  await beginHeld(lab)
  await lab.client.workflow.getHandle(sync).cancel()
  await record(lab, sync, 'sync-cancelled')
  const { run: ended } = await beginHeld(lab)
  await lab.store.runs.finish(ended.uuid, { status: 'cancelled', at: new Date().toISOString(), error: null })
  await record(lab, sync, 'sync-ended')
  const { run, held } = await beginHeld(lab)
  await lab.startWorker()
  await worker.close()
  held.release()
  await lab.ended(run)
  await record(lab, sync, 'sync-handed-over')
  await lab.addSource({ url: new URL('/a.html', lab.site.url).href, type: 'url' })
  await lab.sync()
  await record(lab, sync, 'sync-sources')
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
  for (const [type, name] of [
    ['sweep', 'sweep'],
    ['drop', 'drop'],
  ] as const) {
    await lab.client.workflow.start(type, { taskQueue: 'lectern', workflowId: name, args: [lab.project] })
    await record(lab, name, name)
  }
  await lab.close()
}

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await recordSyncs()
await recordFailed()
await recordBackgroundJobs()
