// Checks a data folder: the integrity of its databases, and the consistency of store and index in both directions.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { openIndex, openStore } from '../../services/drivers.ts'
import type { SearchIndex, Unit } from '../../services/index/search-index.ts'
import { toUnits } from '../../services/index/units.ts'
import { encodeVocabulary } from '../../services/search/vocabulary.ts'

/** More pages and units than any test creates. */
const whole = 1_000

/**
 * Returns one sentence per problem; empty if there is none. `settled`: no work is in progress or half finished,
 * so the index must contain exactly what readers see.
 */
export async function disagreements(data: string, project: string, settled: boolean): Promise<string[]> {
  const problems = ['lectern.db', 'chats.db'].flatMap((name) => integrityProblems(join(data, name)))
  const store = await openStore({ data })
  const index = await openIndex({ data })
  const units = await unitsByVersion(index, project)
  const pages = await store.pages.scan(project, null, whole)
  for (const { uuid, version, url, sourceType } of pages) {
    const content = await store.pages.content(uuid)
    const held = units.get(`${uuid}:${version}`) ?? []
    units.delete(`${uuid}:${version}`)
    if (content === null) {
      problems.push(`${url}: the page has no text`)
      continue
    }
    const expected = toUnits({ uuid, version, url, sourceType }, content)
    if (!isDeepStrictEqual(held.map(toPlain), expected.map(toPlain)))
      problems.push(`${url}: version ${version} has ${held.length} units of ${expected.length}, or others`)
  }
  if (settled) {
    for (const [version, { length }] of units)
      problems.push(`${length} units in the index of ${version}, which no reader sees`)
  }
  await index.close()
  await store.close()
  return problems
}

function integrityProblems(file: string): string[] {
  const database = new DatabaseSync(file)
  const rows = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
  database.close()
  return rows
    .filter(({ integrity_check }) => integrity_check !== 'ok')
    .map(({ integrity_check }) => `${file}: ${integrity_check}`)
}

/** All units of the index in page order, grouped by `{page}:{version}`. */
async function unitsByVersion(index: SearchIndex, project: string): Promise<Map<string, Unit[]>> {
  // No unit has a vector of this nonexistent model, so the port returns all of them.
  const { total, units } = await index.unembedded(project, 'no model', whole)
  expect(units.length, 'units read of the index').toBe(total)
  const byVersion = new Map<string, Unit[]>()
  for (const unit of units.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const key = `${unit.page}:${unit.version}`
    byVersion.set(key, [...(byVersion.get(key) ?? []), unit])
  }
  return byVersion
}

/** Reads every field, because an index may decode fields lazily. */
const toPlain = (unit: Unit): Unit => JSON.parse(JSON.stringify(unit))

/** Whether the vocabulary matches the index, as it must after a run that changed something. */
export async function hasOwnVocabulary(data: string, project: string): Promise<boolean> {
  const store = await openStore({ data })
  const index = await openIndex({ data })
  const known = await store.vocabulary.read(project)
  const counted = encodeVocabulary(await index.vocabulary(project))
  await index.close()
  await store.close()
  return known !== null && Buffer.from(known.terms).equals(counted)
}
