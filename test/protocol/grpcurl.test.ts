// Calls by grpcurl to a real core: it knows nothing of Lectern but what the server tells it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { services } from '../../services/routes.ts'
import { openRealCore, type RealCore, slugs } from './real-core.ts'

const places = [...(process.env.PATH ?? '').split(':'), join(homedir(), 'go/bin')]
const grpcurl = places.map((place) => join(place, 'grpcurl')).find((path) => existsSync(path))
if (!grpcurl && !process.env.CI) {
  console.log('skipped: grpcurl (go install github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3)')
}

let core: RealCore

beforeAll(async () => {
  core = await openRealCore()
}, 60_000)
afterAll(() => core.close())

/** Answers what grpcurl printed, on both outputs. */
async function run(options: string[], ...rest: string[]): Promise<string> {
  return runOn(core.authority, options, ...rest)
}

async function runOn(authority: string, options: string[], ...rest: string[]): Promise<string> {
  const args = ['-plaintext', ...options, authority, ...rest]
  const { stdout, stderr } = await promisify(execFile)(grpcurl!, args).catch((failed) => failed)
  return stdout + stderr
}

const asking = (message: object) => ['-d', JSON.stringify(message)]

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

  it('searches what was crawled, and reads the document that it found', async () => {
    const search = asking({ slug: slugs.open, q: 'asyncio' })
    const [found] = JSON.parse(await run(search, 'lectern.v1.SearchService/Search')).results
    expect(found.pageTitle).toBe('asyncio')
    const read = asking({ slug: slugs.open, document_id: found.documentId })
    const { document } = JSON.parse(await run(read, 'lectern.v1.DocumentService/GetDocument'))
    expect(document.chunks[0].content).toContain('queues to share work')
  })

  const check = (authority: string, service: string) =>
    runOn(authority, asking({ service }), 'grpc.health.v1.Health/Check')

  it('asks for the health of the whole, a service and a backend', async () => {
    for (const service of ['', 'lectern.v1.SearchService', 'store', 'index', 'runs'])
      expect(await check(core.authority, service)).toContain('"SERVING"')
    expect(await check(core.authority, 'nonsense')).toContain('Code: NotFound')
  })
})
