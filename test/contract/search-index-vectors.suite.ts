// The contract of vectors for drivers of the index port (services/index/search-index.ts).
import { strict as assert } from 'node:assert'
import { DomainError } from '../../services/errors.ts'
import type { SearchIndex, VectorQuery } from '../../services/index/search-index.ts'
import { type Cases, otherProject, pageA, pageB, project, toUnit } from './search-index.suite.ts'

const model = 'm1'
const near = toUnit(0, 'a')
const middle = toUnit(1, 'b', { language: 'de' })
const far = toUnit(2, 'c')
const without = toUnit(3, 'd')

const toVector = (...numbers: number[]) => Float32Array.from(numbers)
const east = toVector(1, 0, 0)

async function find(index: SearchIndex, other: Partial<VectorQuery> = {}) {
  return index.findByVector(project, { model, vector: east, limit: 10, ...other })
}

async function idsOf(index: SearchIndex, other: Partial<VectorQuery> = {}) {
  return (await find(index, other)).map(({ unit }) => unit.id)
}

/** Four units of page A, three of them with a vector. */
async function fill(index: SearchIndex) {
  await index.add(project, [near, middle, far, without])
  await index.setVectors(project, model, [
    { unit: near.id, vector: toVector(1, 0.1, 0) },
    { unit: middle.id, vector: toVector(0, 5, 5) },
    { unit: far.id, vector: toVector(-2, 0, 0) },
  ])
}

async function waiting(index: SearchIndex, limit = 10, name = model, languages: string[] | null = null) {
  const { total, waiting: left, units } = await index.unembedded(project, name, limit, languages)
  return { total, left, ids: units.map(({ id }) => id).sort() }
}

export const vectorCases: Cases = {
  async 'finds units by the cosine of their vectors, and none without a vector'(index) {
    await fill(index)
    const hits = await find(index)
    assert.deepEqual(
      hits.map(({ unit }) => unit),
      [near, middle, far],
    )
    for (const [at, cosine] of [0.995, 0, -1].entries())
      assert.ok(Math.abs(hits[at]!.score - cosine) < 0.001, String(hits[at]!.score))
  },
  async 'lists the missing vectors of the requested languages, and of units without a language'(index) {
    const american = toUnit(4, 'e', { language: 'en-us' })
    const unknown = toUnit(5, 'f', { language: null })
    await index.add(project, [near, middle, american, unknown])
    await index.setVectors(project, model, [{ unit: near.id, vector: east }])
    const english = await waiting(index, 10, model, ['en'])
    assert.deepEqual(english, { total: 3, left: 2, ids: [american.id, unknown.id].sort() })
    assert.deepEqual(await waiting(index, 0, model, ['en']), { total: 3, left: 2, ids: [] })
    const others = await waiting(index, 10, model, ['de', 'fr'])
    assert.deepEqual(others.ids, [middle.id, unknown.id].sort())
    assert.equal((await waiting(index)).total, 4)
  },
  async 'finds by vectors within a filter, given units and a limit'(index) {
    await fill(index)
    assert.deepEqual(await idsOf(index, { filter: { language: 'de' } }), [middle.id])
    assert.deepEqual(await idsOf(index, { among: [far.id, near.id, without.id, 'unknown'] }), [
      near.id,
      far.id,
    ])
    assert.deepEqual(await idsOf(index, { among: [] }), [])
    assert.deepEqual(await idsOf(index, { among: [far.id, near.id], filter: { language: 'de' } }), [])
    assert.deepEqual(await idsOf(index, { limit: 1 }), [near.id])
  },
  async 'orders a few hundred vectors exactly'(index) {
    const units = Array.from({ length: 300 }, (_, ordinal) => toUnit(ordinal, 'x'))
    await index.add(project, units)
    const toAngle = (at: number) => toVector(Math.cos(at / 500), Math.sin(at / 500), 0)
    await index.setVectors(
      project,
      model,
      units.map(({ id, ordinal }) => ({ unit: id, vector: toAngle(ordinal) })).toReversed(),
    )
    assert.deepEqual(
      (await find(index)).map(({ unit }) => unit.ordinal),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    )
  },
  async 'never compares vectors of two models, and deletes those of all models but one'(index) {
    await fill(index)
    assert.deepEqual(await idsOf(index, { model: 'm2' }), [])
    await index.setVectors(project, 'm2', [{ unit: far.id, vector: toVector(1, 1) }])
    assert.deepEqual(await idsOf(index, { model: 'm2', vector: toVector(1, 0) }), [far.id])
    assert.deepEqual(await idsOf(index), [near.id, middle.id, far.id])
    assert.deepEqual(await waiting(index, 0), { total: 4, left: 1, ids: [] })
    await index.keepVectors(project, 'm2')
    assert.deepEqual(await idsOf(index), [])
    assert.deepEqual(await waiting(index, 0), { total: 4, left: 4, ids: [] })
    assert.deepEqual(await idsOf(index, { model: 'm2', vector: toVector(1, 0) }), [far.id])
    await index.setVectors(project, 'm2', [])
    await index.keepVectors(project, 'm3')
    assert.deepEqual(await idsOf(index, { model: 'm2', vector: toVector(1, 0) }), [])
    await index.keepVectors('nobody', 'm2')
  },
  async 'skips unknown and removed units, and loses no vector by removing, adding and optimizing'(index) {
    await fill(index)
    const other = toUnit(0, 'e', { page: pageB })
    await index.add(project, [other])
    await index.setVectors(project, model, [
      { unit: other.id, vector: toVector(1, 0.2, 0) },
      { unit: `${pageB}:7:0`, vector: east },
      { unit: 'nonsense', vector: east },
    ])
    assert.deepEqual(await idsOf(index), [near.id, other.id, middle.id, far.id])
    await index.optimize(project)
    assert.deepEqual(await idsOf(index), [near.id, other.id, middle.id, far.id])
    await index.remove(project, [{ page: pageA, version: 1 }])
    assert.deepEqual(await idsOf(index), [other.id])
    await index.optimize(project)
    await index.setVectors(project, model, [{ unit: near.id, vector: east }])
    assert.deepEqual(await idsOf(index), [other.id])
    assert.deepEqual(await waiting(index), { total: 1, left: 0, ids: [] })
  },
  async 'keeps an existing vector of a unit'(index) {
    await fill(index)
    await index.setVectors(project, model, [{ unit: far.id, vector: east }])
    assert.deepEqual(await idsOf(index), [near.id, middle.id, far.id])
  },
  async 'lists the units that wait for a vector'(index) {
    assert.deepEqual(await waiting(index), { total: 0, left: 0, ids: [] })
    await fill(index)
    assert.deepEqual(await waiting(index), { total: 4, left: 1, ids: [without.id] })
    assert.deepEqual(await waiting(index, 0), { total: 4, left: 1, ids: [] })
    const all = [near.id, middle.id, far.id, without.id].sort()
    assert.deepEqual(await waiting(index, 10, 'm2'), { total: 4, left: 4, ids: all })
    const [unit] = (await index.unembedded(project, model, 10)).units
    assert.deepEqual(unit, without)
    await index.add(project, [toUnit(0, 'x', { page: pageB }), toUnit(1, 'y', { page: pageB })])
    assert.equal((await waiting(index, 2)).ids.length, 2)
    assert.deepEqual(await waiting(index, 0), { total: 6, left: 3, ids: [] })
  },
  async 'keeps the vectors of projects apart, and drops them with the project'(index) {
    await fill(index)
    await index.add(otherProject, [near])
    assert.deepEqual(await index.findByVector(otherProject, { model, vector: east, limit: 10 }), [])
    await index.drop(project)
    await index.add(project, [near])
    assert.deepEqual(await idsOf(index), [])
  },
  async 'rejects a vector of another dimension'(index) {
    await fill(index)
    await assert.rejects(find(index, { vector: toVector(1, 0) }), DomainError)
    const setting = index.setVectors(project, model, [{ unit: without.id, vector: toVector(1, 0) }])
    await assert.rejects(setting, DomainError)
    assert.deepEqual(await idsOf(index), [near.id, middle.id, far.id])
  },
}
