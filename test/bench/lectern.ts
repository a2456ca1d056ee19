// Lectern for the benchmarks: a real process, called at its REST port, with the product's default settings.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Project } from '../../services/store/project.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import {
  type LecternOptions,
  type LecternProcess,
  type Run,
  runEnded,
  startLectern,
} from '../e2e/lectern-process.ts'
import { testModel } from '../model/weights.ts'
import type { Manual } from './site/manuals.ts'
import { readUsage, type Usage } from './usage.ts'

export interface SiteSource {
  /** `site` by default. */
  type?: 'site' | 'sitemap' | 'openapi' | 'repository'
  url: string
  include?: string[]
  exclude?: string[]
}

/** Lectern with an empty data folder, after the crawl of its own first project, when all of its parts have started. */
export async function openLectern(options: LecternOptions = {}): Promise<LecternProcess> {
  const lectern = await startLectern({ crawlsManual: true, ...options })
  for (;;) {
    const [first] = (await must(lectern, 'GET', '/api/v2/projects/')).results
    if (first?.last_sync) {
      await runEnded(lectern, first.slug, first.last_sync.uuid)
      return lectern
    }
    await delay(100)
  }
}

/** The same, restarted after `fill` has written to the store of its first project. */
export async function openFilledLectern<Filled>(
  fill: (store: Store, project: Project) => Promise<Filled>,
): Promise<{ lectern: LecternProcess; slug: string; filled: Filled }> {
  const first = await openLectern()
  try {
    const [{ slug }] = (await must(first, 'GET', '/api/v2/projects/')).results
    await first.kill('SIGTERM')
    const store = await openSqliteStore(join(first.data, 'lectern.db'))
    const filled = await fill(store, (await store.projects.bySlug(slug))!).finally(() => store.close())
    return { lectern: await startLectern({ data: first.data }), slug, filled }
  } catch (error) {
    await first.remove()
    throw error
  }
}

/** A public project with one site as its source, not yet crawled. */
export async function addProject(lectern: LecternProcess, slug: string, source: SiteSource): Promise<void> {
  await must(lectern, 'POST', '/api/v2/projects/', { name: slug, slug })
  await must(lectern, 'POST', `/api/v2/projects/${slug}/sources/`, { type: 'site', ...source })
}

/** A public project of the manual's name with all of its pages, not yet crawled. `origin`: where it is served. */
export function addManual(
  lectern: LecternProcess,
  { name, indexPages }: Manual,
  origin: string,
): Promise<void> {
  const exclude = indexPages.map((glob) => `/${name}/${glob}`)
  return addProject(lectern, name, { type: 'sitemap', url: `${origin}/${name}/sitemap.xml`, exclude })
}

/** Syncs to the end. `seconds` from the call to the end that the run reports. Throws unless it completed. */
export async function sync(
  lectern: LecternProcess,
  slug: string,
): Promise<{ run: Run; seconds: number } & Usage> {
  const before = await readUsage(lectern.process.pid!)
  const { uuid } = await must(lectern, 'POST', `/api/v2/projects/${slug}/sync/`)
  const run = (await runEnded(lectern, slug, uuid)) as Run & { created_at: string; finished_at: string }
  const after = await readUsage(lectern.process.pid!)
  if (run.status !== 'completed') {
    throw new Error(`the sync of ${slug} ${run.status}: ${run.error}\n${lectern.output.join('\n')}`)
  }
  const seconds = (Date.parse(run.finished_at) - Date.parse(run.created_at)) / 1000
  return { run, seconds, cpu: after.cpu - before.cpu, peak: after.peak }
}

/** Whether the local model supports the manual's language. */
export function isEmbedded({ language }: Manual): boolean {
  return testModel.languages === null || testModel.languages.includes(language)
}

/** Resolves when every section of the project has a vector. */
export async function embedded(lectern: LecternProcess, slug: string): Promise<void> {
  for (;;) {
    const { embedding } = await must(lectern, 'GET', `/api/v2/projects/${slug}/sync/`)
    if (embedding?.total > 0 && embedding.done === embedding.total) return
    await delay(1_000)
  }
}

/** URLs of the results, best first. */
export async function search(
  lectern: LecternProcess,
  slug: string,
  query: string,
  limit: number,
): Promise<string[]> {
  const path = `/api/v2/projects/${slug}/search/?q=${encodeURIComponent(query)}&limit=${limit}`
  const { results } = (await must(lectern, 'GET', path)) as { results: { url: string }[] }
  return results.map((result) => result.url)
}

async function must(lectern: LecternProcess, method: string, path: string, body?: unknown) {
  const answer = await lectern.call(method, path, body)
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}
