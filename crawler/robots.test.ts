import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Answers, openLoopback } from '../test/loopback/loopback.ts'
import { readAllowList } from './address.ts'
import { createFetcher } from './fetch.ts'
import { createRobots, isAllowed, readRobotsFile, readRobotsTag } from './robots.ts'

function readRobots(text: string) {
  const { rules, delayMs } = readRobotsFile(new TextEncoder().encode(text))
  return { allows: (target: string) => isAllowed(rules, target), delayMs }
}
const readFile = async (body: Uint8Array) => readRobotsFile(body)

test.each([
  ['Disallow: /a', '/a', false],
  ['Disallow: /a', '/ab/c', false],
  ['Disallow: /a', '/b', true],
  ['Disallow: /A', '/a', true],
  ['Disallow:', '/a', true],
  ['Disallow: /\nAllow: /p', '/p/x', true],
  ['Allow: /p\nDisallow: /', '/q', false],
  ['Disallow: /page\nAllow: /page', '/page', true],
  ['Allow: /example/page/\nDisallow: /example/page/disallowed.gif', '/example/page/disallowed.gif', false],
  ['Disallow: /*.gif$', '/a/b.gif', false],
  ['Disallow: /*.gif$', '/a/b.gif?x', true],
  ['Disallow: /a*b*c', '/a-b-c-d', false],
  ['Disallow: /a*b*c', '/a-c-b', true],
  ['Disallow: /a$', '/a', false],
  ['Disallow: /a$', '/ab', true],
  ['Disallow: /foo/bar?baz=quz', '/foo/bar?baz=quz', false],
  ['Disallow: /foo/bar/ツ', '/foo/bar/%E3%83%84', false],
  ['Disallow: /foo/bar/%E3%83%84', '/foo/bar/%e3%83%84', false],
  ['Disallow: /foo/bar/%62%61%7A', '/foo/bar/baz', false],
  ['Disallow: /a%2Fb', '/a/b', true],
  ['Disallow: / # everything', '/a', false],
  ['Disallow: /', '/robots.txt', true],
])('%j with %s: %s', (rules, target, expected) => {
  expect(readRobots(`User-agent: *\n${rules}`).allows(target)).toBe(expected)
})

test('uses the rules for its own name instead of those for all, and merges groups of one name', () => {
  const text = `\uFEFFuser-agent: *\r\ndisallow: /\r\n\r\nUser-Agent: Other\nUSER-AGENT: Lectern/1.0\nDisallow: /a
    nonsense
    User-agent: lectern
    Crawl-delay: 2.5
    Disallow: /b
    User-agent: lecternplus
    Disallow: /c
    Sitemap: https://d.example/sitemap.xml`
  const rules = readRobots(text)
  expect(['/', '/a', '/b', '/c'].map(rules.allows)).toEqual([true, false, false, true])
  expect(rules.delayMs).toBe(2_500)
})

test('ignores rules before any group, and invalid delays', () => {
  const rules = readRobots('Disallow: /\nUser-agent: *\nCrawl-delay: soon\nCrawl-delay: -1')
  expect(rules.allows('/a')).toBe(true)
  expect(rules.delayMs).toBe(0)
})

test('a path in a rule blocks itself and paths below, and any file and path is accepted', () => {
  const path = fc.webPath().filter((text) => text !== '' && !/[*$#]/.test(text))
  fc.assert(
    fc.property(path, (text) => {
      const { allows } = readRobots(`User-agent: *\nDisallow: ${text}`)
      expect(allows(text) || allows(`${text}x`)).toBe(false)
    }),
  )
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.webPath(),
      (text, target) => void readRobots(text).allows(target),
    ),
  )
  expect(readRobots(`User-agent: *\nDisallow: /${'*a'.repeat(2_000)}b`).allows(`/${'a'.repeat(2_000)}`)).toBe(
    true,
  )
})

const page = (robots: Answers[string]) => ({ '/robots.txt': robots })
const status =
  (code: number): Answers[string] =>
  (_request, response) =>
    response.writeHead(code).end()
const moved =
  (to: string): Answers[string] =>
  (_request, response) =>
    response.writeHead(301, { location: to }).end()
const hops = (count: number): Answers => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`/r${at + 1}`, moved(`/r${at + 2}`)])),
  ...page(moved('/r1')),
  [`/r${count + 1}`]: 'User-agent: *\nDisallow: /a',
})

test.each<[string, Answers, boolean]>([
  ['the file', page('User-agent: *\nDisallow: /a'), false],
  ['a file without rules', page('<html>'), true],
  ['404', {}, true],
  ['403', page(status(403)), true],
  ['500', page(status(500)), false],
  ['silence', page(() => {}), false],
  ['a file after five redirects', hops(4), false],
  ['a file of a megabyte', page(`User-agent: *\nDisallow: /a\n${'#\n'.repeat(500_000)}`), false],
  ['rules behind 500 KiB', page(`User-agent: *\n${'#\n'.repeat(300_000)}Disallow: /a\n`), true],
])('handles robots.txt with %s', async (name, answers, expected) => {
  const { robots, site } = await serve(answers, name === 'silence' ? 300 : undefined)
  expect(await robots.refusal(`${site.origin}/a`)).toEqual(expected ? null : expect.anything())
})

async function serve(answers: Answers, timeoutMs = 120_000) {
  const site = await openLoopback(answers)
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1'), timeoutMs })
  onTestFinished(site.close)
  onTestFinished(fetcher.close)
  const paces: [string, number][] = []
  const stop = new AbortController()
  const robots = createRobots(
    { ...fetcher, pace: (url, delayMs) => void paces.push([url, delayMs]) },
    readFile,
    stop.signal,
  )
  return { site, robots, paces, stop }
}

const forbidden = {
  kind: 'skipped',
  reason: 'robots',
  message: 'robots.txt does not allow it.',
  answered: false,
}

test('reads the file once for concurrent calls, and passes its delay to the fetcher', async () => {
  const { site, robots, paces } = await serve(page('User-agent: *\nCrawl-delay: 3\nDisallow: /b'))
  const refusals = ['/a', '/b', '/c'].map((path) => robots.refusal(site.origin + path))
  expect(await Promise.all(refusals)).toEqual([null, forbidden, null])
  expect(site.asked).toEqual(['/robots.txt'])
  expect(paces).toEqual([[site.origin, 3_000]])
})

test('rejects when its signal aborts, also for files it has read', async () => {
  const { site, robots, stop } = await serve(page('User-agent: *\nDisallow: /b'))
  expect(await robots.refusal(`${site.origin}/b`)).toEqual(forbidden)
  stop.abort(new Error('stopped'))
  await expect(robots.refusal(`${site.origin}/b`)).rejects.toThrow('stopped')
  await expect(robots.refusal('http://127.0.0.2/a')).rejects.toThrow('stopped')
})

test('permits the page if no server is reached, so that the page reports why', async () => {
  const fetcher = createFetcher({ allow: readAllowList('') })
  onTestFinished(fetcher.close)
  const robots = createRobots(fetcher, readFile, new AbortController().signal)
  expect(await robots.refusal('http://10.0.0.1/a')).toBeNull()
})

test.each([
  [null, false, false],
  ['noindex', true, false],
  ['NoIndex, nofollow', true, true],
  ['none', true, true],
  ['otherbot: noindex', false, false],
  ['otherbot: noindex, lectern: nofollow', false, true],
  ['lectern: none', true, true],
  ['unavailable_after: 25 Jun 2010 15:00:00 PST, noindex', true, false],
  ['max-snippet: 20, noindex', true, false],
  ['noarchive', false, false],
])('X-Robots-Tag %j', (header, noindex, nofollow) => {
  expect(readRobotsTag(header)).toEqual({ noindex, nofollow })
})

test('reads groups in linear time, however often their names and rules repeat', () => {
  const heads = 'user-agent: *\nuser-agent: lectern\n'.repeat(6_000)
  const rules = Array.from({ length: 20_000 }, (_, at) => `disallow: /${at}\n`).join('')
  const file = readRobotsFile(new TextEncoder().encode(heads + rules))
  expect(file.rules).toHaveLength(10_000)
  expect(file.rules[0]).toEqual({ allow: false, pattern: '/0' })
})

test('reads 1,000 rules with a star inside, and all others', () => {
  const starred = Array.from({ length: 3_000 }, (_, at) => `disallow: /*a${at}\n`).join('')
  const text = `user-agent: *\n${starred}disallow: /end*\ndisallow: /plain`
  const { rules } = readRobotsFile(new TextEncoder().encode(text))
  expect(rules).toHaveLength(1_002)
  expect(rules.slice(-2).map(({ pattern }) => pattern)).toEqual(['/end*', '/plain'])
})

test.each(['__proto__', 'constructor', 'toString'])('skips a line that starts with %s', (name) => {
  expect(readRobots(`User-agent: *\n${name}: x\nDisallow: /a`).allows('/a')).toBe(false)
})

test('permits nothing if the file exceeds the limits, and reports why for its pages', async () => {
  const site = await openLoopback(page('User-agent: *'))
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1') })
  onTestFinished(site.close)
  onTestFinished(fetcher.close)
  const robots = createRobots(
    fetcher,
    () => Promise.reject(new Error('too much')),
    new AbortController().signal,
  )
  expect(await robots.refusal(`${site.origin}/a`)).toMatchObject({ kind: 'failed', reason: 'parse' })
})
