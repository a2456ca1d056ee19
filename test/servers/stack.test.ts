import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChatClient, openChat } from '../e2e/gateway/chat-client.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { createFolder } from '../folder.ts'
import { serversAvailable } from './available.ts'
import { holdPage } from './held-page.ts'
import { openStack, type Stack } from './stack/stack.ts'

type Part = ReturnType<Stack['container']>

const adminKey = 'an-admin-key-for-tests-only'
const variables = {
  MONGODB_ROOT_PASSWORD: 'a-root-password-for-tests',
  MONGODB_PASSWORD: 'a-password-for-tests',
  LECTERN_WEAVIATE_KEY: 'a-weaviate-key-for-tests',
  LECTERN_ADMIN_KEY: adminKey,
  LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64'),
  LECTERN_CRAWL_ALLOW: '127.0.0.0/8',
  LECTERN_TRUST_PROXY: '127.0.0.0/8',
  LECTERN_LOG: 'warn',
}

describe.skipIf(!serversAvailable)('two gateways, two cores and two workers', { timeout: 240_000 }, () => {
  const data = createFolder()
  let stack: Stack
  let site: Site

  beforeAll(async () => {
    site = await openSite({
      '/': htmlPage('Guide', 'All of the guide.', ['/install.html', '/timeout.html', '/keys.html']),
      '/install.html': htmlPage('Installing', 'Run the installer and follow it to the end.'),
      '/timeout.html': htmlPage('Timeouts', 'The default timeout of a request is 30 seconds.'),
      '/keys.html': htmlPage('Keys', 'A key is revoked on the page of keys.'),
    })
    stack = await openStack({
      variables: { ...variables, LECTERN_EMBEDDINGS: 'off' },
      scale: { gateway: 2, core: 2, worker: 2 },
      data,
      isPublished: false,
      print: () => {},
    })
  }, 400_000)
  afterAll(async () => {
    await stack?.stop()
    await site?.close()
  })

  /** Sends a REST request to a gateway with the admin key. */
  async function ask(gateway: number, method: string, path: string, body?: unknown) {
    const answer = await fetch(`http://${stack.address('gateway', gateway, 8080)}/api/v2/${path}`, {
      method,
      headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : null }
  }

  /** Opens a socket as a reader from this address. */
  const chat = (gateway: number, path: string, reader: string): Promise<ChatClient> =>
    openChat(`ws://${stack.address('gateway', gateway, 8080)}/ws/messages/${path}/`, {
      'x-forwarded-for': reader,
    })

  /** A worker serves its own metrics on the port of its health. */
  const metricsOfWorker = async (worker: number) =>
    (await fetch(`http://${stack.address('worker', worker, 50051)}/metrics`)).text()

  const patient = { timeout: 120_000, interval: 500 }

  async function ended(gateway: number, slug: string, uuid: string) {
    await expect
      .poll(async () => (await ask(gateway, 'GET', `projects/${slug}/sync/${uuid}/`)).body?.status, patient)
      .toMatch(/completed|failed|cancelled/)
    return (await ask(gateway, 'GET', `projects/${slug}/sync/${uuid}/`)).body
  }

  const titles = async (gateway: number, q: string) =>
    ((await ask(gateway, 'GET', `projects/guide/search/?q=${q}`)).body?.results ?? []).map(
      (result: { page_title: string }) => result.page_title,
    )

  test('content created and synced through one gateway is searched and chatted with through the other', async () => {
    expect((await ask(1, 'POST', 'projects/', { name: 'Guide' })).status).toBe(201)
    const source = { type: 'site', url: site.url }
    expect((await ask(2, 'POST', 'projects/guide/sources/', source)).status).toBe(201)
    const begun = await ask(1, 'POST', 'projects/guide/sync/')
    expect(begun.status).toBe(202)
    const run = await ended(2, 'guide', begun.body.uuid)
    expect(run).toMatchObject({ status: 'completed', pages: { discovered: 4, added: 4, failed: 0 } })
    for (const gateway of [1, 2]) {
      await expect.poll(() => titles(gateway, 'timeout'), patient).toContain('Timeouts')
    }
    const completed = 'lectern_sync_runs_total{status="completed",trigger="api"} 1'
    const countWorkers = async () => {
      const workers = await Promise.all([1, 2].map(metricsOfWorker))
      return workers.filter((text) => text.includes(completed)).length
    }
    // The run is counted after it has completed.
    await expect.poll(countWorkers, patient).toBe(1)
  })

  test('a conversation continues through the other gateway with its restore token only', async () => {
    const one = await chat(1, 'guide', '203.0.113.1')
    const answer = await one.ask({ message: 'What is the default timeout of a request?' })
    expect(answer).toMatchObject({ isPartial: false, stopReason: 'stop' })
    expect(answer.message).toContain('30 seconds')
    expect(answer.sources[0].url).toContain('/timeout.html')
    const { chatId, restoreToken } = answer

    const other = await chat(2, 'guide', '203.0.113.2')
    const refused = await other.ask({ message: 'Go on.', chatId })
    expect(refused).toMatchObject({ stopReason: 'not_found' })
    const again = await other.ask({ message: 'How is a key revoked?', chatId, restoreToken })
    expect(again).toMatchObject({ chatId, stopReason: 'stop' })
    const kept = await ask(1, 'GET', `projects/guide/chats/${chatId}/`)
    expect(kept.body.messages).toHaveLength(4)
    one.close()
    other.close()
  })

  test('a sync started through one core is canceled through the other, and a new one supersedes it', async () => {
    const held = holdPage(site, '/keys.html')
    const first = await ask(1, 'POST', 'projects/guide/sync/')
    await held.asked
    const cancelled = await ask(2, 'POST', `projects/guide/sync/${first.body.uuid}/cancel/`)
    expect(cancelled.status).toBe(202)
    expect(await ended(1, 'guide', first.body.uuid)).toMatchObject({ status: 'cancelled' })

    const second = await ask(1, 'POST', 'projects/guide/sync/')
    const third = await ask(2, 'POST', 'projects/guide/sync/')
    held.release()
    expect(await ended(1, 'guide', second.body.uuid)).toMatchObject({
      status: 'cancelled',
      superseded_by: third.body.uuid,
    })
    expect(await ended(2, 'guide', third.body.uuid)).toMatchObject({ status: 'completed' })
  })

  test('after a worker, a core and a gateway are killed, the run completes, and searches and turns work', async () => {
    const held = holdPage(site, '/install.html')
    const begun = await ask(1, 'POST', 'projects/guide/sync/')
    await held.asked
    for (const service of ['worker', 'core', 'gateway']) {
      stack.container(service, 1).hold()
      await stack.container(service, 1).kill()
    }
    await expect.poll(() => titles(2, 'timeout'), patient).toContain('Timeouts')
    const socket = await chat(2, 'guide', '203.0.113.30')
    expect(await socket.ask({ message: 'What is the default timeout of a request?' })).toMatchObject({
      stopReason: 'stop',
    })
    socket.close()
    held.release()
    expect(await ended(2, 'guide', begun.body.uuid)).toMatchObject({ status: 'completed' })

    for (const service of ['worker', 'core', 'gateway']) stack.container(service, 1).start()
    for (const service of ['worker', 'core', 'gateway']) await stack.container(service, 1).healthy()
    await expect.poll(() => titles(1, 'timeout'), patient).toContain('Timeouts')
  })

  test('a worker frozen beyond its heartbeat continues without effect after another has completed its run', async () => {
    const [frozen, other] = [1, 2].map((number) => stack.container('worker', number)) as [Part, Part]
    other.hold()
    await other.kill()
    const held = holdPage(site, '/install.html')
    const begun = await ask(1, 'POST', 'projects/guide/sync/')
    await held.asked
    const pid = frozen.pid()!
    process.kill(pid, 'SIGSTOP')
    try {
      other.start()
      await other.healthy()
      held.release()
      const run = await ended(1, 'guide', begun.body.uuid)
      expect(run).toMatchObject({ status: 'completed', pages: { discovered: 4, pending: 0, failed: 0 } })
      process.kill(pid, 'SIGCONT')
      await frozen.healthy()
      const next = await ask(1, 'POST', 'projects/guide/sync/')
      expect(await ended(1, 'guide', next.body.uuid)).toMatchObject({ pages: { unchanged: 4, removed: 0 } })
      expect((await ask(2, 'GET', `projects/guide/sync/${begun.body.uuid}/`)).body).toEqual(run)
      expect(frozen.pid()).toBe(pid)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })

  test.each([
    ['temporal', 'runs'],
    ['weaviate', 'index'],
    ['mongo', 'store'],
  ])(
    'while %s is killed during a sync, what does not need it works; after its restart the run completes, and no core restarts',
    async (service, name) => {
      const base = `http://${stack.address('gateway', 2, 8080)}`
      const away = async () => ((await (await fetch(`${base}/readyz`)).json()) as { away?: string[] }).away
      const cores = [1, 2].map((number) => stack.container('core', number).pid())
      const held = holdPage(site, '/install.html', `Run the installer beside ${service}zilla.`)
      const begun = await ask(1, 'POST', 'projects/guide/sync/')
      await held.asked
      stack.container(service, 1).hold()
      await stack.container(service, 1).kill()
      await expect.poll(away, patient).toContain(name)

      const search = await ask(2, 'GET', 'projects/guide/search/?q=timeout')
      expect(search.status, `search without ${service}`).toBe(name === 'runs' ? 200 : 503)
      const project = await ask(2, 'GET', 'projects/guide/')
      expect(project.status, `project without ${service}`).toBe(name === 'store' ? 503 : 200)
      if (name === 'runs') expect((await ask(2, 'POST', 'projects/guide/sync/')).status).toBe(503)
      const errors = [search, project].filter(({ status }) => status === 503).map(({ body }) => body)
      expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1:|ECONN|password/)

      held.release()
      stack.container(service, 1).start()
      expect(await ended(2, 'guide', begun.body.uuid)).toMatchObject({
        status: 'completed',
        pages: { discovered: 4, pending: 0, failed: 0, removed: 0 },
      })
      await expect.poll(away, patient).toBeUndefined()
      await expect.poll(() => titles(2, `${service}zilla`), patient).toEqual(['/install.html'])
      await expect.poll(() => titles(1, 'timeout'), patient).toContain('Timeouts')
      expect([1, 2].map((number) => stack.container('core', number).pid())).toEqual(cores)
    },
  )
})
