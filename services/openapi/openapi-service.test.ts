import { expect, onTestFinished, test } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { openapiParser } from '../../sources/openapi/openapi-parser.ts'
import { openLoopback } from '../../test/loopback/loopback.ts'
import { createCheckDescription } from './openapi-service.ts'

const { signal } = new AbortController()
const tasks = openapiParser.tasks as unknown as Record<string, (...input: unknown[]) => never>
const description = JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} })

/** Checks descriptions of a server that answers when the test lets it. */
async function open() {
  const held: (() => void)[] = []
  const answers = Array.from({ length: 20 }, (_, at) => [
    `/${at}.json`,
    (_request: unknown, response: { end(body: string): void }) => held.push(() => response.end(description)),
  ])
  const server = await openLoopback(Object.fromEntries(answers))
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1'), maxConnectionsPerHost: 100 })
  onTestFinished(server.close)
  onTestFinished(fetcher.close)
  const check = createCheckDescription({
    fetcher,
    read:
      () =>
      async (task, ...input) =>
        tasks[task]!(...input),
  })
  let asked = 0
  const begin = (team: string) => check(`${server.origin}/${asked++}.json`, team, signal)
  return { begin, held }
}

const tooMany = { reason: 'rate_limited', retryAfter: 10 }

test('checks at most 4 descriptions of a team at once', async () => {
  const { begin, held } = await open()
  const checks = Array.from({ length: 4 }, () => begin('a'))
  await expect.poll(() => held).toHaveLength(4)
  await expect(begin('a')).rejects.toMatchObject(tooMany)
  const other = begin('b')
  await expect.poll(() => held).toHaveLength(5)
  for (const answer of held.splice(0)) answer()
  expect(await Promise.all([...checks, other])).toMatchObject(Array(5).fill({ kind: 'checked', valid: true }))
  const next = begin('a')
  await expect.poll(() => held).toHaveLength(1)
  held[0]!()
  expect(await next).toMatchObject({ kind: 'checked' })
})

test('checks at most 16 descriptions at once', async () => {
  const { begin, held } = await open()
  const checks = [...'abcd'].flatMap((team) => Array.from({ length: 4 }, () => begin(team)))
  await expect.poll(() => held).toHaveLength(16)
  await expect(begin('e')).rejects.toMatchObject(tooMany)
  for (const answer of held) answer()
  expect(await Promise.all(checks)).toHaveLength(16)
})
