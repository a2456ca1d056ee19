import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { otherProject, project, toUnit } from '../../test/contract/search-index.suite.ts'
import { createFolder } from '../../test/folder.ts'
import type { SearchIndex } from '../index/search-index.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { toFirstModel } from '../index/units.ts'
import { type Embedder, ModelError } from '../model/model.ts'
import { findByMeaning } from '../search/meaning.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createEmbedding } from './embedding.ts'

let folder: string
let index: SearchIndex
let store: Store
beforeEach(async () => {
  folder = createFolder()
  index = await openSegmentIndex(folder)
  store = await openSqliteStore(':memory:')
})
afterEach(async () => {
  await index.close()
  await store.close()
})

const toUnits = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => toUnit(from + at, `word w${from + at}`))

/** An endpoint with replies that a test may change; `asked` has the texts of every request. */
function createEndpoint(name = 'm', dimension = 3) {
  const asked: string[][] = []
  const endpoint = {
    asked,
    fail: null as (() => void) | null,
    embedder: {
      name,
      async embed(kind, texts) {
        expect(kind).toBe('passage')
        asked.push(texts)
        endpoint.fail?.()
        return texts.map((text) => Float32Array.from({ length: dimension }, (_, at) => text.length + at))
      },
    } satisfies Embedder,
  }
  return endpoint
}

/** Runs until no unit is waiting, or for this many pauses. Returns the pauses and what was reported. */
async function work(
  embedder: Embedder,
  maxPauses = 1,
  isOurs?: (project: string) => Promise<boolean>,
  tellMostlyForeign?: () => void,
) {
  const closing = new AbortController()
  const pauses: number[] = []
  const reported: unknown[] = []
  const foreign: string[] = []
  const shares: [total: number, waiting: number][] = []
  const { run, progress } = createEmbedding({
    index,
    vectors: store.vectors,
    embedder,
    now: () => new Date('2026-01-01T00:00:00Z'),
    ...(isOurs && { isOurs }),
    ...(tellMostlyForeign && { tellMostlyForeign }),
    report: (error) => reported.push(error),
    tellForeign: (of, language) => foreign.push(`${of} ${language}`),
    tellShare: (...share) => shares.push(share),
    async pause(milliseconds) {
      pauses.push(milliseconds)
      if (pauses.length >= maxPauses) closing.abort()
    },
  })
  await run(closing.signal)
  return { pauses, reported, progress, foreign, shares }
}

const waiting = async (of = project, model = 'm') => (await index.unembedded(of, model, 0)).waiting

describe('the background embedding', () => {
  it('embeds every unit of every project, at most 64 texts per request', async () => {
    await index.add(project, toUnits(0, 150))
    await index.add(otherProject, toUnits(200, 203))
    const { embedder, asked } = createEndpoint()
    const { reported, progress, shares } = await work(embedder)
    expect([await waiting(), await waiting(otherProject)]).toEqual([0, 0])
    expect(shares).toEqual([
      [153, 153],
      [153, 86],
      [153, 22],
      [153, 0],
    ])
    expect(Math.max(...asked.map((texts) => texts.length))).toBeLessThanOrEqual(64)
    expect(asked.flat().length).toBe(153)
    expect(reported).toEqual([])
    expect(await progress(project)).toEqual({ model: 'm', total: 150, done: 150, refused: 0 })
  })

  it('embeds a text once, whatever page, version or project has it', async () => {
    await index.add(project, [toUnit(0, 'same'), toUnit(1, 'same')])
    const { embedder, asked } = createEndpoint()
    await work(embedder)
    await index.add(project, [toUnit(0, 'same', { version: 2 })])
    await index.add(otherProject, [toUnit(0, 'same')])
    await work(embedder)
    expect(asked.flat().length).toBe(1)
    expect([await waiting(), await waiting(otherProject)]).toEqual([0, 0])
  })

  it.each([
    ['last', [[1, 0, 0], [0, 1, 0], null], [1, 1, 0]],
    ['first', [null, [0, 1, 0], [0, 0, 1]], [0, 1, 1]],
  ])(
    'gives a long unit the mean of the vectors of its texts if the %s one is rejected',
    async (_, axes, mean) => {
      await index.add(project, [toUnit(0, 'word '.repeat(300).trim())])
      const { embedder, asked } = createEndpoint()
      await work({
        ...embedder,
        async embed(kind, texts) {
          await embedder.embed(kind, texts)
          if (texts[0] === 'documentation') return [Float32Array.of(1, 0, 0)]
          const distinct = [...new Set(asked.flat())].filter((text) => text !== 'documentation')
          const made = texts.map((text) => axes[distinct.indexOf(text)]!)
          if (made.includes(null as never)) throw new ModelError('refused')
          return made.map((vector) => Float32Array.from(vector))
        },
      })
      expect(asked[0]).toHaveLength(1)
      const vector = Float32Array.from(mean)
      const [hit] = await index.findByVector(project, { model: 'm', vector, limit: 1 })
      expect(hit!.score).toBeCloseTo(1, 2)
    },
  )

  it('gives all sections of a new project a vector of their first text first, then that of all texts', async () => {
    const long = (n: number) => toUnit(n, `start${n} ${'word '.repeat(300)}${n}`)
    await index.add(project, [long(0), ...toUnits(1, 70), long(70)])
    const first = createEndpoint()
    first.fail = () => {
      if (first.asked.length > 2) throw new ModelError('unavailable')
    }
    const { progress } = await work(first.embedder)
    expect(first.asked.slice(0, 2).map((texts) => texts.length)).toEqual([64, 7])
    expect(await waiting()).toBe(2)
    expect(await progress(project)).toMatchObject({ total: 71, done: 71 })
    const found = await findByMeaning(index, project, {
      model: 'm',
      vector: Float32Array.of(1, 1, 1),
      limit: 100,
    })
    expect(found).toHaveLength(71)
    const second = createEndpoint()
    await work(second.embedder)
    // Another process continues, with the texts that have no vector yet.
    expect(second.asked.flat()).toHaveLength(4)
    expect(await waiting()).toBe(0)
    expect(await waiting(project, toFirstModel('m'))).toBe(71)
    await index.add(project, [long(80)])
    const third = createEndpoint()
    await work(third.embedder)
    expect(third.asked.map((texts) => texts.length)).toEqual([3])
    // A source that is larger than all others is treated like a new project.
    await index.add(
      project,
      Array.from({ length: 100 }, (_, n) => long(100 + n)),
    )
    const fourth = createEndpoint()
    await work(fourth.embedder)
    expect(fourth.asked[0]!.every((text) => text.includes('start'))).toBe(true)
    expect([await waiting(), await waiting(project, toFirstModel('m'))]).toEqual([0, 172])
  })

  it('deletes the vectors of another model, and what a late batch of another process left, when all are embedded', async () => {
    await index.add(project, toUnits(0, 70))
    await work(createEndpoint('m').embedder)
    const other = { model: 'n', vector: Float32Array.of(1, 1, 1), limit: 1 }
    await index.setVectors(project, 'n', [{ unit: toUnit(0, '').id, vector: Float32Array.of(1, 1, 1) }])
    await index.setVectors(project, toFirstModel('m'), [
      { unit: toUnit(0, '').id, vector: Float32Array.of(1, 1, 1) },
    ])
    await index.add(project, toUnits(70, 72))
    await work(createEndpoint('m').embedder)
    expect(await index.findByVector(project, other)).toEqual([])
    expect([await waiting(), await waiting(project, toFirstModel('m'))]).toEqual([0, 72])
  })

  it('leaves a project to the process that has its lease', async () => {
    await index.add(project, toUnits(0, 3))
    await index.add(otherProject, toUnits(200, 203))
    const { embedder } = createEndpoint()
    await work(embedder, 1, async (each) => each === otherProject)
    expect([await waiting(), await waiting(otherProject)]).toEqual([3, 0])
  })

  it('embeds sections in languages that the model knows, and reports a project in another language once', async () => {
    const inLanguage = (from: number, to: number, language: string | null) =>
      toUnits(from, to).map((unit) => ({ ...unit, language }))
    await index.add(project, [
      ...inLanguage(0, 3, 'en-gb'),
      ...inLanguage(3, 5, null),
      ...inLanguage(5, 8, 'fr'),
    ])
    await index.add(otherProject, [...inLanguage(0, 2, 'en'), ...inLanguage(2, 7, 'fr-x-detected')])
    const { embedder, asked } = createEndpoint()
    const { progress, foreign } = await work({ ...embedder, languages: ['en'] }, 3)
    expect(asked.flat().length).toBe(5)
    expect([await waiting(), await waiting(otherProject)]).toEqual([3, 5])
    expect(await progress(project)).toEqual({ model: 'm', total: 5, done: 5, refused: 0 })
    expect(foreign).toEqual([`${otherProject} fr-x-detected`])
  })

  it('embeds all sections again when a model replaces one that does not know most of their languages', async () => {
    const inLanguage = (from: number, to: number, language: string) =>
      toUnits(from, to).map((unit) => ({ ...unit, language }))
    await index.add(project, inLanguage(0, 2, 'en'))
    await index.add(otherProject, inLanguage(2, 5, 'fr'))
    const { embedder, asked } = createEndpoint()
    const model: { name: string; languages?: string[] | undefined } = { name: 'm', languages: ['en'] }
    const replaced = {
      ...embedder,
      get name() {
        return model.name
      },
      get languages() {
        return model.languages
      },
    }
    await work(replaced, 1, undefined, () => Object.assign(model, { name: 'other', languages: undefined }))
    expect(asked.flat()).toHaveLength(5)
    expect([await waiting(project, 'other'), await waiting(otherProject, 'other')]).toEqual([0, 0])
  })

  it('reports no project in another language if the model is about to be replaced', async () => {
    await index.add(project, [toUnit(0, 'a')])
    const { embedder } = createEndpoint()
    await work(embedder)
    // Pages in another language arrive after the languages were counted.
    const crawl = async () => {
      await index.add(
        project,
        toUnits(1, 3).map((unit) => ({ ...unit, language: 'fr' })),
      )
      return true
    }
    let replacements = 0
    const { foreign } = await work({ ...embedder, languages: ['en'] }, 2, crawl, () => {
      replacements += 1
    })
    expect([replacements, foreign]).toEqual([1, []])
  })

  it('reports for a model that is still loading that it will embed all sections', async () => {
    await index.add(
      project,
      toUnits(0, 3).map((unit, at) => ({ ...unit, language: at === 0 ? 'en' : 'fr' })),
    )
    const { progress } = await work({ ...createEndpoint().embedder, languages: ['en'] })
    expect(await progress(project)).toEqual({ model: 'm', total: 1, done: 1, refused: 0 })
    expect(await progress(project, 'other')).toEqual({ model: 'other', total: 3, done: 0, refused: 0 })
  })

  it('keeps a model that knows the language of half of the sections', async () => {
    await index.add(
      project,
      toUnits(0, 2).map((unit, at) => ({ ...unit, language: at === 0 ? 'en' : 'fr' })),
    )
    const { embedder } = createEndpoint()
    await work({ ...embedder, languages: ['en'] }, 1, undefined, () => expect.unreachable())
    expect(await waiting()).toBe(1)
  })

  it('continues where it was after a restart', async () => {
    await index.add(project, toUnits(0, 100))
    const first = createEndpoint()
    first.fail = () => {
      if (first.asked.length > 1) throw new ModelError('unavailable')
    }
    await work(first.embedder)
    expect(await waiting()).toBe(36)
    const second = createEndpoint()
    await work(second.embedder)
    expect(second.asked.flat().length).toBe(36)
  })

  it('embeds again for another model, whose vectors replace the old ones', async () => {
    await index.add(project, toUnits(0, 3))
    await work(createEndpoint('m', 3).embedder)
    const { embedder, asked } = createEndpoint('n', 5)
    await work(embedder)
    expect(asked.flat().length).toBe(3)
    expect([await waiting(project, 'n'), await waiting(project, 'm')]).toEqual([0, 3])
  })
})

describe('an endpoint that fails', () => {
  it('is retried at growing intervals, reported once per series of failures, and used when it is back', async () => {
    await index.add(project, toUnits(0, 3))
    const endpoint = createEndpoint()
    endpoint.fail = () => {
      if (endpoint.asked.length <= 8) throw new ModelError('rate_limited')
    }
    const { pauses, reported } = await work(endpoint.embedder, 20)
    expect(pauses.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
    expect(reported).toEqual([new ModelError('rate_limited')])
    expect(await waiting()).toBe(0)
  })

  it.each(['loading', 'busy'] as const)(
    'is not reported if it is a local model that is %s',
    async (fault) => {
      await index.add(project, toUnits(0, 64))
      const endpoint = createEndpoint()
      endpoint.fail = () => {
        if (endpoint.asked.length <= 3) throw new ModelError(fault)
      }
      const { pauses, reported } = await work(endpoint.embedder, 4)
      expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000])
      expect(reported).toEqual([])
      expect(endpoint.asked.map((texts) => texts.length)).toEqual([64, 64, 64, 64])
    },
  )

  it('gets smaller requests at once if a request is too large', async () => {
    await index.add(project, toUnits(0, 64))
    const endpoint = createEndpoint()
    endpoint.fail = () => {
      if (endpoint.asked.at(-1)!.length > 16) throw new ModelError('silent')
    }
    await work(endpoint.embedder, 40)
    expect(await waiting()).toBe(0)
  })

  it('is reported once if its vectors have another dimension, and other projects continue', async () => {
    await index.add(project, toUnits(0, 2))
    await work(createEndpoint('m', 3).embedder)
    await index.add(project, toUnits(2, 4))
    await index.add(otherProject, toUnits(5, 7))
    const { reported } = await work(createEndpoint('m', 4).embedder, 5)
    expect([await waiting(), await waiting(otherProject)]).toEqual([2, 0])
    expect(reported.length).toBe(1)
  })

  it('skips a text that it rejects, and embeds everything else', async () => {
    await index.add(project, toUnits(0, 100))
    await index.add(otherProject, toUnits(100, 102))
    const endpoint = createEndpoint()
    const isBad = (text: string) => /\bw(?:3|70|71)\b/u.test(text)
    endpoint.fail = () => {
      if (endpoint.asked.at(-1)!.some(isBad)) throw new ModelError('refused')
    }
    const { reported, pauses, progress } = await work(endpoint.embedder)
    expect([await waiting(), await waiting(otherProject)]).toEqual([3, 0])
    expect(await progress(project)).toEqual({ model: 'm', total: 100, done: 97, refused: 3 })
    expect(reported).toHaveLength(1)
    expect(pauses).toHaveLength(1)
    expect(endpoint.asked.filter((texts) => texts.length === 1 && isBad(texts[0]!))).toHaveLength(3)
  })

  it('is retried for all texts if it rejects every request, as with an invalid key', async () => {
    await index.add(project, toUnits(0, 3))
    const endpoint = createEndpoint()
    endpoint.fail = () => {
      if (endpoint.asked.length <= 4) throw new ModelError('refused')
    }
    const { pauses, reported, progress } = await work(endpoint.embedder, 3)
    expect(pauses.slice(0, 2)).toEqual([1_000, 2_000])
    expect(reported).toEqual([new ModelError('refused')])
    expect(await progress(project)).toEqual({ model: 'm', total: 3, done: 3, refused: 0 })
  })
})
