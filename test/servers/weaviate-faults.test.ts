// The index when Weaviate is unreachable, slow, hanging, killed or inconsistent, on a real server.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AccessRefused } from '../../services/errors.ts'
import type { SearchIndex, Unit } from '../../services/index/search-index.ts'
import { openWeaviateIndex } from '../../services/index/weaviate/weaviate-index.ts'
import { createSearchClient } from '../../services/search/search-client.ts'
import { project, toQuery, toUnit, versionsOf } from '../contract/search-index.suite.ts'
import { serversAvailable } from './available.ts'
import { openToxiproxy, type Proxy as PortProxy, type Toxiproxy } from './toxiproxy.ts'
import { openWeaviate, type WeaviateServer } from './weaviate.ts'

/** Milliseconds after which a reader has waited too long: Lectern gives up after two seconds. */
const maxWait = 20_000
const away = { name: 'DomainError', reason: 'unavailable', message: 'The search index does not answer.' }
const query = toQuery(['word'])

const withWord = (page: number): Unit =>
  toUnit(0, 'word', { page: `aaaaaaaa-0000-8000-8000-${String(page).padStart(12, '0')}` })

/** Rejects if the reader waited too long for the result. */
async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = new AbortController()
  const limit = after(maxWait, null, { signal: late.signal }).then(
    () => Promise.reject(new Error('The reader waited too long.')),
    () => new Promise<never>(() => {}),
  )
  return Promise.race([answer, limit]).finally(() => late.abort())
}

describe.skipIf(!serversAvailable)('Weaviate faults', () => {
  let server: WeaviateServer
  let toxiproxy: Toxiproxy
  let http: PortProxy
  let grpc: PortProxy
  let index: SearchIndex

  beforeAll(async () => {
    server = await openWeaviate()
    toxiproxy = await openToxiproxy()
    http = await toxiproxy.before(server.httpPort)
    grpc = await toxiproxy.before(server.grpcPort)
    index = await openIndex()
    await index.add(project, [withWord(0)])
  })
  afterAll(async () => {
    await index?.close()
    await toxiproxy?.remove()
    await server?.remove()
  })
  // Whatever the fault, the index recovers without a restart of Lectern.
  afterEach(async () => {
    await expect.poll(() => found()).toBeGreaterThan(0)
  })

  const openIndex = () =>
    openWeaviateIndex({ url: `http://127.0.0.1:${http.port}`, grpc: `127.0.0.1:${grpc.port}`, key: null })
  const search = () => index.findByTerms(project, query)
  /** Retries like a run, however long the server takes to start. */
  async function untilWritten(unit: Unit): Promise<void> {
    await index.add(project, [unit]).catch((error) => {
      expect(error).toMatchObject(away)
      return untilWritten(unit)
    })
  }
  const found = () =>
    search().then(
      (hits) => hits.length,
      () => 0,
    )

  it('reports a refused connection at once, and reconnects afterwards', async () => {
    await grpc.enable(false)
    await http.enable(false)
    for (let asked = 0; asked < 3; asked++) await expect(inTime(search())).rejects.toMatchObject(away)
    await expect(inTime(index.ping())).rejects.toMatchObject(away)
    await expect(openIndex()).rejects.toMatchObject(away)
    await grpc.enable(true)
    await http.enable(true)
  })

  it('reports a refused gRPC port as unavailable, also when opening', async () => {
    await grpc.enable(false)
    await expect(inTime(search())).rejects.toMatchObject(away)
    await expect(inTime(index.ping())).rejects.toMatchObject(away)
    await expect(openIndex()).rejects.toMatchObject(away)
    await grpc.enable(true)
  })

  it('reports a hanging server in time', async () => {
    await server.pause()
    try {
      for (let asked = 0; asked < 3; asked++) await expect(inTime(search())).rejects.toMatchObject(away)
      await expect(inTime(index.ping())).rejects.toMatchObject(away)
    } finally {
      server.resume()
    }
  })

  it('rejects what takes too long, and waits for slow answers', async () => {
    const tooSlow = await grpc.add({ type: 'latency', attributes: { latency: 5_000 } })
    await expect(inTime(search())).rejects.toMatchObject(away)
    await tooSlow()
    await expect.poll(() => found()).toBeGreaterThan(0)
    const slow = await grpc.add({ type: 'latency', attributes: { latency: 300 } })
    await expect.poll(() => found()).toBeGreaterThan(0)
    await slow()
  })

  it('may be away when the search thread starts, and is tried again', async () => {
    let connections = 0
    // Refuses the first connection.
    const gate = createServer((socket) => {
      connections += 1
      if (connections === 1) return void socket.resetAndDestroy()
      pipeline(socket, connect(server.httpPort, '127.0.0.1'), socket).catch(() => {})
    }).listen(0, '127.0.0.1')
    await once(gate, 'listening')
    const weaviate = {
      url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
      grpc: server.grpc,
      key: null,
    }
    const data = await mkdtemp(join(tmpdir(), 'lectern-search-'))
    const reports: unknown[] = []
    const client = createSearchClient(
      { backends: { data, weaviate }, embeddings: null },
      (error) => reports.push(error),
      { settleTime: 0 },
    )
    onTestFinished(async () => {
      await client.close()
      gate.close()
      await rm(data, { recursive: true })
    })
    await expect(client.open()).rejects.toMatchObject(away)
    await client.open()
    await client.ping()
    expect(reports).toMatchObject([away])
  })

  it('writes units once if the connection is cut while they are acknowledged', async () => {
    const units = Array.from({ length: 40 }, (_, page) => withWord(100 + page))
    // After this number of bytes the connection is cut: the units are written, but not acknowledged.
    const cut = await grpc.add({ type: 'limit_data', attributes: { bytes: 300 } })
    const adding = index.add(project, units)
    await after(1_500)
    await cut()
    await adding
    expect(await versionsOf(index)).toEqual(
      expect.arrayContaining(units.map(({ page }) => ({ page, version: 1, units: 1 }))),
    )
  })

  it('keeps acknowledged units once when killed during an import, which continues', async () => {
    const pages = Array.from({ length: 60 }, (_, page) => withWord(1_000 + page))
    let back: Promise<void> | undefined
    for (const unit of pages) {
      await untilWritten(unit)
      if (unit === pages[10]) back = server.kill().then(server.start)
    }
    await back
    const versions = await versionsOf(index)
    expect(versions).toEqual(
      expect.arrayContaining(pages.map(({ page }) => ({ page, version: 1, units: 1 }))),
    )
    expect(new Set(versions.map(({ page }) => page)).size).toBe(versions.length)
  })

  it('starts over on an emptied server', async () => {
    for (const name of ['LecternUnit', 'LecternVector']) {
      await fetch(`${server.url}/v1/schema/${name}`, { method: 'DELETE' })
    }
    expect(await search()).toEqual([])
    expect(await index.projects()).toEqual([])
    await index.add(project, [withWord(0)])
    expect(await found()).toBe(1)
  })

  it('rejects vectors of another dimension, single and in a batch, and stores none', async () => {
    const units = [withWord(0), withWord(1)]
    await index.add(project, units)
    const vector = (length: number) => Float32Array.from({ length }, () => 1)
    const set = (...lengths: number[]) =>
      index.setVectors(
        project,
        'm',
        lengths.map((length, at) => ({ unit: units[at]!.id, vector: vector(length) })),
      )
    await expect(set(4, 3)).rejects.toMatchObject({ reason: 'invalid' })
    await set(4)
    await expect(set(4, 3)).rejects.toMatchObject({ reason: 'invalid' })
    const near = { model: 'm', limit: 10 }
    await expect(index.findByVector(project, { ...near, vector: vector(3) })).rejects.toMatchObject({
      reason: 'invalid',
    })
    expect(
      (await index.findByVector(project, { ...near, vector: vector(4) })).map(({ unit }) => unit.id),
    ).toEqual([units[0]!.id])
    expect(await index.unembedded(project, 'm', 0)).toMatchObject({ total: 2, waiting: 1 })
  })
})

describe.skipIf(!serversAvailable)('Weaviate with a key', () => {
  let server: WeaviateServer
  beforeAll(async () => {
    server = await openWeaviate({
      AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED: 'false',
      AUTHENTICATION_APIKEY_ENABLED: 'true',
      AUTHENTICATION_APIKEY_ALLOWED_KEYS: 'right',
      AUTHENTICATION_APIKEY_USERS: 'lectern',
      AUTHORIZATION_ADMINLIST_ENABLED: 'true',
      AUTHORIZATION_ADMINLIST_USERS: 'lectern',
    })
  })
  afterAll(() => server?.remove())

  it('accepts the right key, and reports a missing or wrong one', async () => {
    const open = (key: string | null) => openWeaviateIndex({ url: server.url, grpc: server.grpc, key })
    const refused = { ...away, cause: expect.any(AccessRefused) }
    await expect(open(null)).rejects.toMatchObject(refused)
    await expect(open('wrong')).rejects.toMatchObject(refused)
    const index = await open('right')
    await index.add(project, [withWord(0)])
    expect(await index.findByTerms(project, query)).toHaveLength(1)
    await index.close()
  })
})
