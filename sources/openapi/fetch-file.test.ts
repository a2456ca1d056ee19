import { expect, test } from 'vitest'
import { readAllowList } from '../../crawler/address.ts'
import { createFetcher } from '../../crawler/fetch.ts'
import { openLoopback } from '../../test/loopback/loopback.ts'
import { createFetchFile } from './fetch-file.ts'

test('all files of a description share one timeout, after which none is asked for', async () => {
  const server = await openLoopback({ '/silent.json': () => {}, '/next.json': '{}' })
  const fetcher = createFetcher({ allow: readAllowList('127.0.0.1') })
  const { signal } = new AbortController()
  const fetchFile = createFetchFile(fetcher, { signal, timeoutMs: 500 })
  const fault = 'The description takes more than 2 minutes to load with all of its files.'
  for (const path of ['/silent.json', '/next.json'])
    expect(await fetchFile(server.origin + path, 1_000)).toEqual({ url: server.origin + path, fault })
  expect(server.asked).toEqual(['/silent.json'])
  await fetcher.close()
  await server.close()
})
