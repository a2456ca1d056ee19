// Known-item search on both manuals: Lectern at its REST port compared with FTS5 on the same sections.
import { readFileSync } from 'node:fs'
import { weightsSettings } from '../../model/weights.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type ManualSection, readSections } from '../corpus/sections.ts'
import { addProject, embedded, openLectern, search, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import type { Query, QueryClass } from './engine.ts'
import { openFts5, type Settings, toPages } from './fts5-engine.ts'
import { judge } from './judge.ts'
import { readQueries } from './queries.ts'

const reference = 'FTS5 BM25'
/** Questions are judged in questions/. */
const names = ['terms', 'prefixes', 'typing errors'] as const
const targets: Record<(typeof names)[number], number> = {
  terms: 0.8,
  prefixes: 0.78,
  'typing errors': 0.78,
}
/** The best FTS5 variant for each class, found on the tuning halves of both manuals. */
const settings: Record<QueryClass, Settings> = JSON.parse(
  readFileSync(new URL('settings.json', import.meta.url), 'utf8'),
)

type Half = 'tuning' | 'closing'
type Task = { halves: Half[]; manual: Manual; sections: ManualSection[]; queries: Query[] }

export async function measureQuality(options: BenchOptions): Promise<Table[]> {
  const halves: Half[] = options.closing ? ['tuning', 'closing'] : ['tuning']
  const tasks = largeManuals.map((manual) => ({
    manual,
    sections: readSections(manual),
    queries: readQueries(manual),
    halves,
  }))
  const rows: Table['rows'] = []
  for (const task of tasks) {
    const fts5 = openFts5(task.sections)
    const find = (text: string, kind: QueryClass) => toPages(fts5.search(text, settings[kind]))
    rows.push(...(await judgeAll(task, reference, find)))
    fts5.close()
  }
  rows.push(...(await judgeLectern(tasks)))
  return [
    { title: 'Search quality: the page that is meant, found', rows: rows.toSorted(byManualAndClass) },
    toTargets(rows, halves.at(-1)!),
  ]
}

async function judgeAll(
  { manual, queries, halves }: Task,
  engine: string,
  find: (text: string, kind: QueryClass) => string[] | Promise<string[]>,
): Promise<Table['rows']> {
  const rows: Table['rows'] = []
  for (const kind of names) {
    for (const half of halves) {
      const chosen = queries.filter((query) => query.class === kind && query.isTuning === (half === 'tuning'))
      const score = await judge(chosen, (text) => find(text, kind))
      console.log(
        `judged ${engine} on ${manual.name}, ${kind}, ${half} half: hit@1 ${score['hit@1'].toFixed(3)}`,
      )
      rows.push({ manual: manual.name, class: kind, half, engine, queries: chosen.length, ...score })
    }
  }
  return rows
}

async function judgeLectern(tasks: Task[]): Promise<Table['rows']> {
  const lectern = await openLectern({ env: weightsSettings })
  const site = await openManualSite()
  try {
    const rows: Table['rows'] = []
    for (const task of tasks) {
      const { name: slug, indexPages } = task.manual
      const prefix = `${site.origin}/${slug}/`
      const exclude = indexPages.map((glob) => `/${slug}/${glob}`)
      await addProject(lectern, slug, { url: `${prefix}index.html`, include: ['**.html'], exclude })
      await sync(lectern, slug)
      await embedded(lectern, slug)
      const find = async (text: string) =>
        (await search(lectern, slug, text, 50)).map((url) => url.slice(prefix.length).split('#')[0]!)
      rows.push(...(await judgeAll(task, 'Lectern', find)))
    }
    return rows
  } finally {
    await lectern.remove()
    await site.close()
  }
}

function toTargets(rows: Table['rows'], half: Half): Table {
  const hitOf = (manual: string, kind: string, engine: string) =>
    rows.find(
      (row) => row.manual === manual && row.class === kind && row.half === half && row.engine === engine,
    )!['hit@1'] as number
  const targetRows = largeManuals.flatMap(({ name }) =>
    names.flatMap((kind) => {
      const ours = hitOf(name, kind, 'Lectern')
      const ratio = ours / hitOf(name, kind, reference)
      return [
        toTarget(`${name}, ${kind}: hit@1`, ours, '≥', targets[kind]),
        toTarget(`${name}, ${kind}: hit@1, × ${reference}`, ratio, '≥', 1),
      ]
    }),
  )
  return { title: `Search quality: targets, on the ${half} half`, rows: targetRows }
}

function byManualAndClass(a: Table['rows'][number], b: Table['rows'][number]): number {
  const key = (row: Table['rows'][number]) =>
    `${row.manual} ${names.indexOf(row.class as (typeof names)[number])} ${row.half}`
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0
}
