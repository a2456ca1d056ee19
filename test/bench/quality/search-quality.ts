// Known-item search on both manuals: Lectern at its REST port against MiniSearch and FTS5 on the same sections.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { weightsSettings } from '../../model/weights.ts'
import type { BenchOptions } from '../bench-options.ts'
import { type ManualSection, readSections } from '../corpus/sections.ts'
import { addProject, embedded, openLectern, search, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { type Query, type QueryClass, type Settings, toPages } from './engine.ts'
import { fts5Engine } from './fts5-engine.ts'
import { judge } from './judge.ts'
import { miniSearchEngine } from './minisearch-engine.ts'
import { readQueries } from './queries.ts'
import { maxTuningQueries, tune } from './tune.ts'

const engines = [miniSearchEngine, fts5Engine]
/** Questions are judged in questions/; the references have settings for them too. */
const names = ['terms', 'prefixes', 'typing errors'] as const
const classes: QueryClass[] = [...names, 'questions']
const targets: Record<(typeof names)[number], number> = {
  terms: 0.8,
  prefixes: 0.78,
  'typing errors': 0.78,
}
const settingsFile = new URL('settings.json', import.meta.url)

/** Engine → class → settings. */
type AllSettings = Record<string, Record<string, Settings>>
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
  const settings = options.tune || !existsSync(settingsFile) ? await tuneAll(tasks) : readSettings()
  const rows: Table['rows'] = []
  for (const task of tasks) {
    for (const engine of options.lecternOnly ? [] : engines) {
      const opened = engine.open(task.sections)
      rows.push(
        ...(await judgeAll(task, engine.name, (text, kind) =>
          toPages(opened.search(text, settings[engine.name]![kind]!)),
        )),
      )
      opened.close()
    }
  }
  if (!options.referencesOnly) rows.push(...(await judgeLectern(tasks)))
  const tables: Table[] = [
    { title: 'Search quality: the page that is meant, found', rows: rows.toSorted(byManualAndClass) },
    toSettingsTable(settings),
  ]
  return options.referencesOnly ? tables : [...tables, toTargets(rows, halves.at(-1)!)]
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

async function tuneAll(tasks: Task[]): Promise<AllSettings> {
  const settings: AllSettings = {}
  for (const engine of engines) {
    const opened = tasks.map((task) => engine.open(task.sections))
    settings[engine.name] = {}
    for (const kind of classes) {
      const sets = tasks.map(({ queries }, at) => ({
        queries: queries.filter((query) => query.isTuning && query.class === kind).slice(0, maxTuningQueries),
        opened: opened[at]!,
      }))
      settings[engine.name]![kind] = await tune(engine, sets)
      console.log(`tuned ${engine.name} for ${kind}`)
    }
    for (const each of opened) each.close()
  }
  writeFileSync(settingsFile, `${JSON.stringify(settings, null, 2)}\n`)
  return settings
}

function readSettings(): AllSettings {
  return JSON.parse(readFileSync(settingsFile, 'utf8'))
}

function toSettingsTable(settings: AllSettings): Table {
  const rows = engines.flatMap(({ name }) =>
    classes.map((kind) => {
      const chosen = Object.entries(settings[name]![kind]!).map(([setting, value]) => `${setting} ${value}`)
      return { engine: name, class: kind, settings: chosen.join(', ') }
    }),
  )
  return {
    title: 'Search quality: settings of the references, tuned on the tuning halves of both manuals',
    rows,
  }
}

function toTargets(rows: Table['rows'], half: Half): Table {
  const hitOf = (manual: string, kind: string, engine: string) =>
    rows.find(
      (row) => row.manual === manual && row.class === kind && row.half === half && row.engine === engine,
    )?.['hit@1'] as number | undefined
  const targetRows = largeManuals.flatMap(({ name }) =>
    names.flatMap((kind) => {
      const references = engines.flatMap((engine) => hitOf(name, kind, engine.name) ?? [])
      const ours = hitOf(name, kind, 'Lectern')!
      return [
        toTarget(`${name}, ${kind}: hit@1`, ours, '≥', targets[kind]),
        ...(references.length === 0
          ? []
          : [
              toTarget(
                `${name}, ${kind}: hit@1, × the better reference`,
                ours / Math.max(...references),
                '≥',
                1,
              ),
            ]),
      ]
    }),
  )
  return { title: `Search quality: targets, on the ${half} half`, rows: targetRows }
}

function byManualAndClass(a: Table['rows'][number], b: Table['rows'][number]): number {
  const key = (row: Table['rows'][number]) =>
    `${row.manual} ${classes.indexOf(row.class as QueryClass)} ${row.half}`
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0
}
