// Reflection and health by grpcurl, which knows nothing of Lectern but what the server tells it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { services } from '../../services/routes.ts'
import { adminKey, backends, openTestServer } from './core.ts'

const places = [...(process.env.PATH ?? '').split(':'), join(homedir(), 'go/bin')]
const grpcurl = places.map((place) => join(place, 'grpcurl')).find((path) => existsSync(path))
if (!grpcurl && !process.env.CI) {
  console.log('skipped: grpcurl (go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3)')
}

let server: Awaited<ReturnType<typeof openTestServer>>

beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server.close())

/** Answers what grpcurl printed, on both outputs. */
async function run(options: string[], ...rest: string[]): Promise<string> {
  const args = ['-plaintext', ...options, server.authority, ...rest]
  const { stdout, stderr } = await promisify(execFile)(grpcurl!, args).catch((failed) => failed)
  return stdout + stderr
}

describe.skipIf(!grpcurl && !process.env.CI)('grpcurl', () => {
  it('lists every service', async () => {
    const listed = (await run([], 'list')).trim().split('\n')
    expect(listed).toEqual([...services.map((one) => one.typeName), 'grpc.health.v1.Health'].sort())
  })

  it('describes what is served', async () => {
    expect(await run([], 'describe', 'lectern.v1.SearchService.Search')).toContain('lectern.v1.SearchRequest')
    expect(await run([], 'describe', 'lectern.v1.RunStatus')).toContain('RUN_STATUS_COMPLETED')
    expect(await run([], 'describe', 'lectern.v1.Nothing')).toContain('not found')
  })

  it('calls', async () => {
    const answer = await run(
      ['-d', '{"slug": "red-public", "q": "asyncio"}'],
      'lectern.v1.SearchService/Search',
    )
    expect(JSON.parse(answer).results[0].title).toBe('asyncio')
  })

  it('streams with a key', async () => {
    const key = ['-H', `authorization: Api-Key ${adminKey}`]
    const answer = await run([...key, '-d', '{"slug": "red-private"}'], 'lectern.v1.SyncService/WatchSync')
    expect(answer.match(/"fetched": \d/g)).toEqual(['"fetched": 1', '"fetched": 2', '"fetched": 3'])
  })

  it('prints the detail of an error', async () => {
    const answer = await run(['-d', '{"slug": "red-public"}'], 'lectern.v1.SearchService/Search')
    expect(answer).toContain('Code: InvalidArgument')
    expect(answer).toContain('"reason": "invalid"')
  })

  it('asks for the health of the whole, a service and a backend', async () => {
    const check = async (service: string) =>
      run(['-d', JSON.stringify({ service })], 'grpc.health.v1.Health/Check')
    expect(await check('')).toContain('"SERVING"')
    expect(await check('nonsense')).toContain('Code: NotFound')
    backends.indexAnswers = false
    try {
      expect(await check('')).toContain('"NOT_SERVING"')
      expect(await check('lectern.v1.SearchService')).toContain('"NOT_SERVING"')
      expect(await check('index')).toContain('"NOT_SERVING"')
      expect(await check('store')).toContain('"SERVING"')
    } finally {
      backends.indexAnswers = true
    }
  })
})
