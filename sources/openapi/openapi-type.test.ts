import { expect, test } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { openLoopback } from '../../test/loopback/loopback.ts'
import { UnreadableSource } from '../source-type.ts'
import type { Check, DescriptionFile, Missing } from './openapi-parser.ts'
import { loadDescription } from './openapi-type.ts'

test('gives all files of a description one timeout, and requests none after it', async () => {
  const server = await openLoopback({ '/silent.json': () => {}, '/next.json': '{}' })
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1') })
  const { signal } = new AbortController()
  const fault = 'The description takes more than 2 minutes to load with all of its files.'
  const [first, next] = [`${server.origin}/silent.json`, `${server.origin}/next.json`]
  const seen: DescriptionFile[][] = []
  async function read(files: DescriptionFile[]): Promise<Check | Missing> {
    seen.push([...files])
    if (files.length > 1) throw new UnreadableSource(fault)
    return { kind: 'wanted', urls: [next] }
  }
  const loading = loadDescription({ fetcher, signal, start: first, timeoutMs: 500 }, read)
  await expect(loading).rejects.toThrow(fault)
  expect(seen).toEqual([
    [{ url: first, fault }],
    [
      { url: first, fault },
      { url: next, fault },
    ],
  ])
  expect(server.asked).toEqual(['/silent.json'])
  await fetcher.close()
  await server.close()
})
