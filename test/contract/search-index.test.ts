// The suite of the index port is worth something: each driver broken on purpose fails it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SearchIndex, Unit } from '../../services/index/search-index.ts'
import { openSegmentIndex } from '../../services/index/segments/segment-index.ts'
import { cases, searchIndexSuite, versionsOf } from './search-index.suite.ts'
import { vectorCases } from './search-index-vectors.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'lectern-index-'))
let opened = 0
const open = () => openSegmentIndex(join(folder, String(opened++)))
afterAll(() => rm(folder, { recursive: true }))

searchIndexSuite('segments', cases, open)
searchIndexSuite('segments, vectors', vectorCases, open)

const broken: Record<string, (index: SearchIndex) => Partial<SearchIndex>> = {
  'add forgets the last unit': (index) => ({
    add: (project, units) => index.add(project, units.slice(0, -1)),
  }),
  'add settles before the units can be found': (index) => ({
    add: async (project, units) => void setTimeout(() => index.add(project, units).catch(() => {}), 20),
  }),
  'an id written again is a second unit': (index) => {
    let extra = 0
    return {
      add: (project, units) =>
        index.add(
          project,
          units.map((unit) => ({ ...unit, ordinal: unit.ordinal + 1000 * extra++ })),
        ),
    }
  },
  'a page version that is there takes no more units': (index) => {
    const seen = new Set<string>()
    return {
      async add(project, units) {
        const fresh = units.filter(({ page, version }) => !seen.has(`${project}${page}${version}`))
        for (const { page, version } of fresh) seen.add(`${project}${page}${version}`)
        await index.add(project, fresh)
      },
    }
  },
  'text loses its white space': (index) => ({
    add: (project, units) =>
      index.add(
        project,
        units.map((unit): Unit => ({ ...unit, text: unit.text.trim().replace(/\s+/g, ' ') })),
      ),
  }),
  'only the first term counts': (index) => ({
    findByTerms: (project, query) => index.findByTerms(project, { ...query, terms: query.terms.slice(0, 1) }),
  }),
  'worst come first': (index) => ({
    findByTerms: async (project, query) => (await index.findByTerms(project, query)).reverse(),
  }),
  'words weigh the same': (index) => ({
    findByTerms: (project, query) =>
      index.findByTerms(project, { ...query, words: query.words.map((word) => ({ ...word, weight: 1 })) }),
  }),
  'the limit does not count': (index) => ({
    findByTerms: (project, query) => index.findByTerms(project, { ...query, limit: 1000 }),
  }),
  'filters do not count': (index) => ({
    findByTerms: (project, { filter: _, ...query }) => index.findByTerms(project, query),
  }),
  'the vocabulary takes every unit for one with the term in a heading': (index) => ({
    async vocabulary(project) {
      const counted = await index.vocabulary(project)
      return { ...counted, inHeadings: counted.counts }
    },
  }),
  'the vocabulary is not in order': (index) => ({
    async vocabulary(project) {
      const counted = await index.vocabulary(project)
      return { ...counted, terms: counted.terms.toReversed() }
    },
  }),
  'remove leaves one version': (index) => ({
    remove: (project, versions) => index.remove(project, versions.slice(1)),
  }),
  'remove takes all versions of a page': (index) => ({
    async remove(project, versions) {
      const pages = versions.map(({ page }) => page)
      const found = await versionsOf(index, project)
      await index.remove(
        project,
        found.filter(({ page }) => pages.includes(page)),
      )
    },
  }),
  'versions are listed without the first': (index) => ({
    async *versions(project) {
      for (const found of (await versionsOf(index, project)).slice(1)) yield found
    },
  }),
  'optimize empties the index': (index) => ({ optimize: (project) => index.drop(project) }),
  'drop keeps everything': () => ({ drop: async () => {} }),
  'dropped projects are named': (index) => {
    const added = new Set<string>()
    return {
      add: (project, units) => index.add(added.add(project) && project, units),
      projects: async () => [...added],
    }
  },
  'projects are one': (index) => ({
    add: (_, units) => index.add('one', units),
    findByTerms: (_, query) => index.findByTerms('one', query),
    drop: () => index.drop('one'),
  }),
  'vectors are not found': () => ({ findByVector: async () => [] }),
  'vectors are forgotten': () => ({ setVectors: async () => {} }),
  'the first vector only is set': (index) => ({
    setVectors: (project, model, vectors) => index.setVectors(project, model, vectors.slice(0, 1)),
  }),
  'vectors of two models mix': (index) => ({
    setVectors: (project, _, vectors) => index.setVectors(project, 'one', vectors),
    findByVector: (project, query) => index.findByVector(project, { ...query, model: 'one' }),
    unembedded: (project, _, limit) => index.unembedded(project, 'one', limit),
  }),
  'vectors of an old model stay': (index) => ({
    async setVectors(project, model, vectors) {
      if (vectors.length > 0) await index.setVectors(project, model, vectors)
    },
  }),
  'vector filters do not count': (index) => ({
    findByVector: (project, { filter: _, ...query }) => index.findByVector(project, query),
  }),
  'all units are among the wanted': (index) => ({
    findByVector: (project, { among: _, ...query }) => index.findByVector(project, query),
  }),
  'the limit of vectors does not count': (index) => ({
    findByVector: (project, query) => index.findByVector(project, { ...query, limit: 1000 }),
  }),
  'a score of vectors is no cosine': (index) => ({
    findByVector: async (project, query) =>
      (await index.findByVector(project, query)).map(({ unit, score }) => ({ unit, score: 1 + score })),
  }),
  'another dimension has no hits': (index) => ({
    findByVector: (project, query) => index.findByVector(project, query).catch(() => []),
  }),
  'another dimension is taken': (index) => ({
    setVectors: (project, model, vectors) => index.setVectors(project, model, vectors).catch(() => {}),
  }),
  'every unit waits for a vector': (index) => ({
    unembedded: (project, _, limit) => index.unembedded(project, 'none', limit),
  }),
  'those that wait are not limited': (index) => ({
    unembedded: (project, model) => index.unembedded(project, model, 1000),
  }),
  'every language waits for a vector': (index) => ({
    unembedded: (project, model, limit) => index.unembedded(project, model, limit),
  }),
  'those that wait are not named': (index) => ({
    unembedded: async (project, model, limit) => ({
      ...(await index.unembedded(project, model, limit)),
      units: [],
    }),
  }),
  'ping fails': () => ({ ping: () => Promise.reject(new Error('away')) }),
}

describe('a broken driver fails the suite', () => {
  for (const [fault, breakIt] of Object.entries(broken)) {
    it(fault, async () => {
      const failed: string[] = []
      for (const { name, run } of [...cases, ...vectorCases]) {
        const index = await open()
        await run({ ...index, ...breakIt(index) }).catch(() => failed.push(name))
        await index.close()
      }
      expect(failed).not.toEqual([])
    })
  }
})
