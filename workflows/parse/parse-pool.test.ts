import { afterEach, expect, test, vi } from 'vitest'
import { openParsePool, type ParseContext, ParseLimit, type ParsePool } from './parse-pool.ts'

const { signal } = new AbortController()
const innocent = { project: 'innocent', signal }
const hostile = { project: 'hostile', signal }
const bytes = (text: string) => new TextEncoder().encode(text)

let pool: ParsePool
afterEach(() => pool.close())

/** A pool whose threads do what a page says. */
function openHostile(threads: number) {
  const entry = new URL('../../test/fixtures/hostile-parse-thread.ts', import.meta.url)
  pool = openParsePool(threads, () => {}, { entry, cpuLimit: 500 })
  const page = { uuid: 'p', version: 1, url: 'https://d.example/', sourceType: 'site' as const }
  return (text: string, context: ParseContext): Promise<unknown> =>
    pool.parse({ page, body: bytes(text), contentType: null, knownHash: null }, context)
}

test('reads robots.txt and sitemaps in its threads', async () => {
  pool = openParsePool(1)
  expect(await pool.robots(bytes('User-agent: *\nDisallow: /a'), innocent)).toEqual({
    rules: [{ allow: false, pattern: '/a' }],
    delayMs: 0,
  })
  const sitemap = bytes('<urlset><url><loc>/a</loc></url></urlset>')
  expect(await pool.read('sitemap', 'entries', [sitemap, 'https://d.example/s'], innocent)).toEqual([
    { kind: 'page', entry: { url: 'https://d.example/a', language: null } },
  ])
})

test('writes nothing to standard error if the parser of a repository file warns', async () => {
  pool = openParsePool(1)
  const write = vi.spyOn(process.stderr, 'write')
  const page = { uuid: 'p', version: 1, url: 'https://d.example/a.adoc', sourceType: 'repository' as const }
  const body = bytes(':attribute-missing: warn\n\nText {missing}.')
  await pool.parse({ page, body, contentType: 'text/asciidoc', knownHash: null }, innocent)
  await pool.close()
  expect(write).not.toHaveBeenCalled()
})

test('reads too deeply nested Markdown of a repository as plain text', async () => {
  pool = openParsePool(1)
  const page = { uuid: 'p', version: 1, url: 'https://d.example/a.md', sourceType: 'repository' as const }
  const body = bytes(`${'>'.repeat(20_000)} Readable.`)
  const parsed = await pool.parse({ page, body, contentType: 'text/markdown', knownHash: null }, innocent)
  expect(JSON.stringify(parsed.units)).toContain('Readable')
})

test.each(['for ever', 'for ever, step by step', 'all memory', 'all buffers'])(
  'fails a page that takes %s, and no other page of its thread',
  async (bad) => {
    const parse = openHostile(1)
    const failing = parse(bad, hostile)
    const others = ['a', 'b', 'c', 'd', 'e'].map((text) => parse(text, hostile))
    await expect(failing).rejects.toThrow(ParseLimit)
    expect(await Promise.all(others)).toEqual(['a', 'b', 'c', 'd', 'e'])
  },
)

test('does not let slow pages of a project delay those of another without end', async () => {
  const parse = openHostile(2)
  const slow = Array.from({ length: 12 }, () =>
    expect(parse('for ever', hostile)).rejects.toThrow(ParseLimit),
  )
  const pages = await Promise.all(['a', 'b', 'c'].map((text) => parse(text, innocent)))
  expect(pages).toEqual(['a', 'b', 'c'])
  await Promise.all(slow)
})

test('rejects an aborted call with its reason, and no other call', async () => {
  const parse = openHostile(1)
  const stop = new AbortController()
  const stopped = parse('for ever', { project: 'hostile', signal: stop.signal })
  const other = parse('a', innocent)
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  expect(await other).toBe('a')
})
