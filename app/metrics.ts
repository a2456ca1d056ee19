// Metrics of this process other than requests: runs, pages, the index, embedding, model calls, disk.
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CallOutcome } from '../services/model/model-health.ts'
import type { IndexTotals } from '../services/search/search-client.ts'
import type { Run } from '../services/store/run.ts'
import type { RunNews } from '../services/sync/watch-runs.ts'

export type ProcessMetrics = ReturnType<typeof createProcessMetrics>

/** Milliseconds for which sizes of index and disk are reused: reading them takes a while. */
const sizesMaxAge = 60_000

interface Sources {
  /** Live runs of all projects. */
  liveRuns(): Promise<Pick<Run, 'status'>[]>
  indexTotals(): Promise<IndexTotals>
}

/** `data`: the data folder. */
export function createProcessMetrics(data: string) {
  const registry = new Registry()
  const registers = [registry]
  let sources: Partial<Sources> = {}

  const runs = new Counter({
    name: 'lectern_sync_runs_total',
    help: 'Sync runs that ended, by status and trigger.',
    labelNames: ['status', 'trigger'],
    registers,
  })
  const runDuration = new Histogram({
    name: 'lectern_sync_run_duration_seconds',
    help: 'Time from the start of a sync run to its end.',
    labelNames: ['status'],
    buckets: [1, 10, 60, 300, 900, 3_600, 14_400, 43_200],
    registers,
  })
  const pages = new Counter({
    name: 'lectern_sync_pages_total',
    help: 'Pages of sync runs that ended, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const calls = new Counter({
    name: 'lectern_llm_calls_total',
    help: 'Calls of the language model, by how they ended.',
    labelNames: ['outcome'],
    registers,
  })
  const callDuration = new Histogram({
    name: 'lectern_llm_call_duration_seconds',
    help: 'Time from a call of the language model to its end.',
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160],
    registers,
  })

  /** A gauge that `read` fills on each request; no value if `read` fails. `maxAge`: in milliseconds. */
  function gauge(
    name: string,
    help: string,
    labelNames: string[],
    read: (gauge: Gauge) => Promise<void>,
    maxAge = sizesMaxAge,
  ) {
    let readAt = Number.NEGATIVE_INFINITY
    let reading = Promise.resolve()
    new Gauge({
      ...{ name, help, labelNames, registers },
      async collect() {
        if (performance.now() - readAt >= maxAge) {
          readAt = performance.now()
          this.reset()
          // Without labels, prom-client resets to zero, which a failed read would leave.
          if (labelNames.length === 0) this.remove()
          reading = read(this).catch(() => {})
        }
        await reading
      },
    })
  }

  async function readLive(runs: Gauge) {
    const rows = await sources.liveRuns?.()
    for (const status of rows ? ['queued', 'running'] : []) {
      runs.set({ status }, rows!.filter((run) => run.status === status).length)
    }
  }
  async function readSections(sections: Gauge) {
    const totals = await sources.indexTotals?.()
    if (totals) sections.set(totals.sections)
  }
  async function readEmbedding(sections: Gauge) {
    const { embedding } = (await sources.indexTotals?.()) ?? { embedding: null }
    if (embedding === null) return
    sections.set({ state: 'done' }, embedding.done)
    sections.set({ state: 'waiting' }, embedding.waiting)
  }
  async function readData(bytes: Gauge) {
    for (const [part, size] of await readSizes(data)) bytes.set({ part }, size)
  }
  async function readFree(bytes: Gauge) {
    const { bavail, bsize } = await statfs(data)
    bytes.set(bavail * bsize)
  }
  gauge('lectern_sync_live_runs', 'Sync runs that have not ended.', ['status'], readLive, 0)
  gauge('lectern_index_sections', 'Sections in the index.', [], readSections)
  gauge('lectern_embedding_sections', 'Sections to embed, by state.', ['state'], readEmbedding)
  gauge('lectern_data_bytes', 'Size of the data folder.', ['part'], readData)
  gauge('lectern_data_free_bytes', 'Free space on the disk of the data folder.', [], readFree)

  return {
    /** Sets the sources of the gauges, once they are open. */
    readFrom(opened: Sources) {
      sources = opened
    },
    runEnded({ status, trigger, seconds, pages: counts }: RunNews) {
      runs.inc({ status, trigger })
      if (seconds !== null) runDuration.observe({ status }, seconds)
      const { added, updated, unchanged, removed, skipped, failed } = counts
      for (const [outcome, count] of Object.entries({
        added,
        updated,
        unchanged,
        removed,
        skipped,
        failed,
      })) {
        pages.inc({ outcome }, count)
      }
    },
    modelCalled(outcome: CallOutcome, seconds: number) {
      calls.inc({ outcome })
      callDuration.observe(seconds)
    },
    contentType: registry.contentType,
    /** In the text format of `contentType`. */
    render: () => registry.metrics(),
  }
}

/** The part to which a top-level entry of the data folder belongs. */
function partOf(name: string): string {
  if (name.startsWith('lectern.db')) return 'database'
  if (name.startsWith('chats.db')) return 'chats'
  return ['index', 'models', 'blobs'].includes(name) ? name : 'other'
}

async function readSizes(data: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const name of await readdir(data)) {
    const part = partOf(name)
    sizes.set(part, (sizes.get(part) ?? 0) + (await sizeOf(join(data, name))))
  }
  return sizes
}

/** Files may be deleted meanwhile. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  if (found === null) return 0
  if (!found.isDirectory()) return found.size
  let size = 0
  for (const name of await readdir(path).catch(() => [])) size += await sizeOf(join(path, name))
  return size
}
