// An unchanged second sync against the first: time, and whether the index on disk was left as it was.
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchOptions } from './bench-options.ts'
import { addProject, openLectern, sync } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { largeManuals } from './site/manuals.ts'
import { openManualSite } from './site/open-site.ts'
import { medianRow } from './statistics.ts'

export async function measureResync({ rounds }: BenchOptions): Promise<Table[]> {
  const site = await openManualSite()
  const rows: Table['rows'] = []
  const targets: Table['rows'] = []
  try {
    for (const { name } of largeManuals) {
      const runs = []
      for (let round = 0; round < rounds; round++)
        runs.push(await syncTwice(`${site.origin}/${name}/index.html`))
      const figures = medianRow(runs)
      rows.push({ manual: name, ...figures })
      targets.push(
        toTarget(`${name}: second sync, × the first`, figures['second s'] / figures['first s'], '≤', 0.15),
        toTarget(`${name}: pages and index files written`, figures.written, '≤', 0),
      )
    }
  } finally {
    await site.close()
  }
  return [
    { title: 'Resync: nothing has changed', rows },
    { title: 'Resync: targets', rows: targets },
  ]
}

async function syncTwice(url: string) {
  const lectern = await openLectern()
  try {
    await addProject(lectern, 'bench', { url, include: ['**.html'] })
    const first = await sync(lectern, 'bench')
    const before = listIndex(lectern.data)
    const second = await sync(lectern, 'bench')
    const after = listIndex(lectern.data)
    const pages = second.run.pages
    const changedFiles = [...after].filter((file) => !before.has(file)).length
    return {
      pages: first.run.pages.added!,
      'first s': first.seconds,
      'second s': second.seconds,
      'first CPU s': first.cpu,
      'second CPU s': second.cpu,
      unchanged: pages.unchanged!,
      written: pages.added! + pages.updated! + pages.removed! + changedFiles,
    }
  } finally {
    await lectern.remove()
  }
}

/** Each file of the index with its size and time of change. */
function listIndex(data: string): Set<string> {
  const files = globSync('index/**/*', { cwd: data, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Set(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      return `${path} ${size} ${mtimeMs}`
    }),
  )
}
