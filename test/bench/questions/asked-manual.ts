// A manual in a separate index with the questions about it.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchIndex, Unit } from '../../../services/index/search-index.ts'
import { openSegmentIndex } from '../../../services/index/segments/segment-index.ts'
import { toEmbeddedTexts, toUnitVector } from '../../../services/index/units.ts'
import { isInLanguages } from '../../../services/language.ts'
import { createQuestionVectors, createSimilarities } from '../../../services/search/meaning.ts'
import { createSearch } from '../../../services/search/search.ts'
import { noVectors } from '../../no-vectors.ts'
import { toStore } from '../agreement/compare.ts'
import { readManualUnits, toKey } from '../agreement/manual-units.ts'
import { isRight, type ManualQuestion, readQuestions } from '../manuals/manual-questions.ts'
import type { Manual } from '../site/manuals.ts'
import type { CachedEmbedder } from './vectors.ts'

const addedAtOnce = 500
export const project = 'f1b9c6a0-52c1-4a5e-9d61-0c8f3a7e4b21'

export interface AskedManual {
  manual: Manual
  index: SearchIndex
  questions: ManualQuestion[]
  /** Null if the model does not support the manual's language. */
  embedder: CachedEmbedder | null
  /** A result in the format of labels: its path in the manual with its section's anchor. */
  keyOf(unit: Pick<Unit, 'url' | 'anchor'>): string
  close(): Promise<void>
}

/** With vectors if there is an embedder. `units`: of some of its pages; all by default. */
export async function openAskedManual(
  manual: Manual,
  embedder: CachedEmbedder | null,
  units: Unit[] = readManualUnits(manual),
): Promise<AskedManual> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-questions-'))
  const index = await openSegmentIndex(folder)
  const keyOf = (unit: Pick<Unit, 'url' | 'anchor'>) => toKey(manual, unit)
  for (let at = 0; at < units.length; at += addedAtOnce)
    await index.add(project, units.slice(at, at + addedAtOnce))
  const isServed = embedder !== null && isInLanguages(manual.language, embedder.languages ?? null)
  const serving = isServed ? embedder : null
  if (serving) {
    const texts = units.map(toEmbeddedTexts)
    const vectors = await serving.embedAll(texts.flat())
    for (let at = 0; at < units.length; at += addedAtOnce) {
      const some = units.slice(at, at + addedAtOnce)
      await index.setVectors(
        project,
        serving.name,
        some.map(({ id }, n) => ({
          unit: id,
          vector: toUnitVector(vectors.splice(0, texts[at + n]!.length)),
        })),
      )
    }
  }
  await index.optimize(project)
  const sections = new Set(units.map(keyOf))
  const questions = readQuestions(manual).map((each) => ({
    ...each,
    pages: each.pages.map((label) => toSection(manual, label, sections)),
  }))
  return {
    manual,
    index,
    questions,
    embedder: serving,
    keyOf,
    async close() {
      await index.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** The sources of answers, by keywords only or with the model. */
export async function openPassages({ index }: AskedManual, embedder: CachedEmbedder | null) {
  const report = console.error
  const questionVectors = embedder ? createQuestionVectors({ embedder, now: Date.now, report }) : noVectors
  const { passages } = createSearch({ store: await toStore(index, project), index, questionVectors })
  return { passages, similarities: createSimilarities({ embedder, report }) }
}

/** A label whose anchor is within a section names that section: the last known anchor before it. */
function toSection({ root }: Manual, label: string, sections: ReadonlySet<string>): string {
  const [page, anchor] = label.split('#')
  if (anchor === undefined || sections.has(label)) return label
  let section = page!
  for (const [, id] of readFileSync(join(root, page!), 'utf8').matchAll(/\s(?:id|name)="([^"]+)"/gu)) {
    if (sections.has(`${page}#${id}`)) section = `${page}#${id}`
    if (id === anchor) break
  }
  return section
}

/** As Lectern displays them: a section once, a page at most three times. */
const maxOfPage = 3

/**
 * The place of the first right result among the first ten, from 1; 0 without one. A question whose labels are pages counts
 * pages, any other counts sections.
 *
 *   labels ['a'], results a#1 a#2 b#1 → 1; labels ['b'] → 2; labels ['b#1'] → 3
 */
export function rankOf(results: string[], labels: readonly string[]): number {
  const byPage = labels.every((label) => !label.includes('#'))
  const counts = new Map<string, number>()
  let place = 0
  for (const result of new Set(results)) {
    const page = result.split('#')[0]!
    const shown = counts.get(page) ?? 0
    if (shown >= (byPage ? 1 : maxOfPage)) continue
    counts.set(page, shown + 1)
    place += 1
    if (place > 10) return 0
    if (isRight(result, labels)) return place
  }
  return 0
}

export function scoreOf(ranks: number[]) {
  const mean = (value: (rank: number) => number) =>
    ranks.reduce((sum, rank) => sum + value(rank), 0) / ranks.length
  return {
    'hit@1': mean((rank) => (rank === 1 ? 1 : 0)),
    'hit@3': mean((rank) => (rank >= 1 && rank <= 3 ? 1 : 0)),
    'MRR@10': mean((rank) => (rank === 0 ? 0 : 1 / rank)),
  }
}
