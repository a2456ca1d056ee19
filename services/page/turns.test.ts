// Globs take up to 100 ms for an address, and so does the text of a page, so other requests run between two of them.
import { expect, test } from 'vitest'
import { createPageSections } from '../search/page-sections.ts'
import { newSource } from '../source/add-sources.ts'
import type { Project } from '../store/project.ts'
import { judge } from './explain.ts'
import { matchPages } from './page-list.ts'

const url = 'https://docs.test/a'
const project = { team: 't', uuid: 'p' } as Project
const source = newSource({ now: () => new Date(0), newUuid: () => 'u' } as never, project, 'url', url)

/** The turns of the event loop until the work is done. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  setImmediate(function count() {
    turns += 1
    if (!isDone) setImmediate(count)
  })
  await work()
  isDone = true
  return turns
}

test('judges an address by one source per turn of the event loop', async () => {
  expect(await judge([source], url)).toEqual([{ source, verdict: 'in', glob: null }])
  expect(await countTurns(() => judge(Array(20).fill(source), url))).toBeGreaterThan(10)
})

test('judges one address per turn of the event loop', async () => {
  const scan = async (_: string, { status }: { status: string }) =>
    status === 'indexed' ? Array(20).fill({ url }) : []
  const match = () => matchPages({ addresses: { scan } } as never, 'p', source)
  expect(await countTurns(match)).toBeGreaterThan(10)
  expect(await match()).toMatchObject({ matched: 20, isWhole: true })
})

const pages = Array.from({ length: 20 }, (_, at) => ({ uuid: `${at}`, url: `${url}${at}`, project: 'p' }))
const content = async () => ({ title: 'A', sections: [], links: [url] })
const { pageSections, linkedFrom } = createPageSections({
  store: {
    pages: { byUuids: async () => pages, byUrls: async () => [], inFolder: async () => pages, content },
    sources: { all: async () => [] },
  } as never,
  index: {} as never,
  questionVectors: { of: async () => ({ vector: null }) } as never,
})

test('reads the sections of one page per turn of the event loop', async () => {
  expect(await countTurns(() => pageSections('p', []))).toBeGreaterThan(10)
  expect(await pageSections('p', [])).toHaveLength(20)
})

test('reads the links of one page per turn of the event loop, until twenty pages link to the address', async () => {
  expect(await countTurns(() => linkedFrom('p', url))).toBeGreaterThan(10)
  expect(await linkedFrom('p', url)).toEqual(pages.map((page) => page.url))
})
