import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import type { Block } from '../../crawler/extract/page.ts'
import { GetDocumentRequestSchema, GetPageRequestSchema } from '../../gen/lectern/v1/document_pb.js'
import { content, page, project } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import type { PageContent } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import { createDocumentService } from './document-service.ts'

const known = page('known')
const foreign = { ...page('foreign'), project: 'p2' }

const context = toHandlerContext({ project: project() })
const openService = (pages: object) =>
  createDocumentService({ store: { pages } as unknown as Store, base: 'http://127.0.0.1' })

function read(
  documentId: string,
  stored: PageContent | null,
  asked: { cursor?: string; limit?: number } = {},
) {
  const pages = {
    byUuids: async (uuids: string[]) =>
      uuids.map((uuid) => [known, foreign].find((each) => each.uuid === uuid) ?? null),
    content: async () => stored,
  }
  const service = openService(pages)
  const request = create(GetDocumentRequestSchema, { slug: 'p', documentId, ...asked })
  return service.getDocument(request, context)
}

test('returns a document as chunks', async () => {
  const { document } = await read(known.uuid, content('apple'))
  expect(document).toMatchObject({ documentId: known.uuid, url: known.url })
})

test('reports a document without text as crawl_needed', async () => {
  await expect(read(known.uuid, null)).rejects.toMatchObject({ reason: 'crawl_needed' })
})

test.each(['unknown', foreign.uuid])('reports document %s as not found', async (uuid) => {
  await expect(read(uuid, null)).rejects.toMatchObject({ reason: 'not_found' })
})

test('reads large documents one at a time, with other work in between', async () => {
  let turn = 0
  let timer = setImmediate(function next() {
    turn += 1
    timer = setImmediate(next)
  })
  const turns: number[] = []
  const pages = {
    async byUuids() {
      turns.push(turn)
      return [known]
    },
    content: async () => content('apple'),
  }
  const service = openService(pages)
  const request = create(GetDocumentRequestSchema, { slug: 'p', documentId: known.uuid })
  const ask = () => service.getDocument(request, context)
  await Promise.all([ask(), ask(), ask()])
  clearImmediate(timer)
  expect(new Set(turns).size).toBe(3)
})

test('returns chunks of the current version, also when it changes between calls', async () => {
  let version = 1
  let asked = 0
  const pages = {
    byUuids: async () => [{ ...known, version }],
    async content() {
      asked += 1
      return content(`apple ${version}`)
    },
  }
  const service = openService(pages)
  const request = create(GetDocumentRequestSchema, { slug: 'p', documentId: known.uuid })
  const text = async () => {
    const { document } = await service.getDocument(request, context)
    return document!.chunks!.map((chunk) => chunk.content).join()
  }
  expect(await text()).toContain('apple 1')
  expect(await text()).toContain('apple 1')
  expect(asked).toBe(1)
  version = 2
  expect(await text()).toContain('apple 2')
})

const maxChunk = 20_000

function withSections(blocks: Block[][]): PageContent {
  const sections = blocks.map((each, at) => ({
    kind: 'heading' as const,
    anchor: null,
    heading: `Part ${at}`,
    path: [],
    blocks: each,
  }))
  return { ...content('apple'), sections }
}

async function readAll(stored: PageContent, limit?: number) {
  const contents: string[] = []
  let cursor: string | undefined
  do {
    const asked = { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) }
    const { document } = await read(known.uuid, stored, asked)
    for (const chunk of document!.chunks!) {
      expect(chunk.chunkIndex).toBe(contents.length)
      contents.push(chunk.content!)
    }
    cursor = document!.nextCursor ?? undefined
    if (cursor === undefined) expect(document!.totalChunks).toBe(contents.length)
  } while (cursor !== undefined)
  return contents
}

test('returns a short section as one chunk: its heading and blocks, as Markdown', async () => {
  const blocks: Block[] = [
    { kind: 'paragraph', text: 'Run it:' },
    { kind: 'code', text: 'echo "```"' },
  ]
  expect(await readAll(withSections([blocks]))).toEqual(['## Part 0\n\nRun it:\n\n````\necho "```"\n````'])
})

test.each([
  ['paragraph', 'One sentence of many, and it ends here. '],
  ['list', '- An item of the list\n'],
  ['code', 'const one = 1\n'],
  ['code', '`'],
  ['paragraph', '😀'],
] as const)('splits a long %s of %j into chunks of limited length, without loss', async (kind, part) => {
  const text = part.repeat(Math.ceil(100_000 / part.length)).trimEnd()
  const chunks = await readAll(withSections([[{ kind, text }], [{ kind: 'paragraph', text: 'The end.' }]]), 2)
  expect(chunks.length).toBeGreaterThan(5)
  expect(chunks[0]).toMatch(/^## Part 0\n\n/)
  expect(chunks.at(-1)).toBe('## Part 1\n\nThe end.')
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThanOrEqual(maxChunk)
    expect(chunk.isWellFormed()).toBe(true)
  }
  const fences = /^`{3,100}$/gm
  const body = chunks
    .slice(0, -1)
    .join('\n')
    .replace('## Part 0', '')
    .replace(kind === 'code' ? fences : '', '')
  expect(body.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
})

test('splits a long paragraph at line ends', async () => {
  const chunks = await readAll(
    withSections([[{ kind: 'paragraph', text: 'A line of the paragraph\n'.repeat(5_000).trimEnd() }]]),
  )
  for (const chunk of chunks) expect(chunk.endsWith('A line of the paragraph')).toBe(true)
})

test('splits many small blocks between blocks', async () => {
  const blocks = Array.from({ length: 9_000 }, (): Block => ({ kind: 'code', text: 'x' }))
  const chunks = await readAll(withSections([blocks]))
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThanOrEqual(maxChunk)
    expect(chunk.endsWith('```\nx\n```')).toBe(true)
  }
})

test('limits the length of a response, however many chunks are requested', async () => {
  const stored = withSections([[{ kind: 'paragraph', text: 'word '.repeat(400_000) }]])
  const { document } = await read(known.uuid, stored, { limit: 100 })
  const length = document!.chunks!.reduce((sum, chunk) => sum + chunk.content!.length, 0)
  expect(length).toBeGreaterThan(300_000)
  expect(length).toBeLessThanOrEqual(20 * maxChunk)
  expect(document!.nextCursor).toBe(String(document!.chunks!.length))
  expect((await readAll(stored, 100)).length).toBe(document!.totalChunks)
})

test('reads the text of a page from the store once per version, however many parts are requested', async () => {
  let [version, asked] = [1, 0]
  const pages = {
    byUrls: async () => [{ ...known, version }],
    async content() {
      asked += 1
      return content(`apple ${version}`)
    },
  }
  const service = openService(pages)
  const sourceUuid = '00000000-0000-4000-8000-000000000001'
  const request = create(GetPageRequestSchema, { slug: 'p', sourceUuid, path: 'a.md' })
  const text = async () => JSON.stringify(await service.getPage(request, context))
  expect(await text()).toContain('apple 1')
  expect(await text()).toContain('apple 1')
  expect(asked).toBe(1)
  version = 2
  expect(await text()).toContain('apple 2')
})
