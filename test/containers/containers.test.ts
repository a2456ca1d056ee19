// The image and docker-compose.yml, built and run by Docker. A machine that cannot run containers prints the reason.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openChat } from '../e2e/gateway/chat-client.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { holdPage } from '../servers/held-page.ts'
import { adminKey, baseImage, openEngine } from './engine.ts'
import { createFaults } from './faults.ts'

const engine = await openEngine()
const { docker, compose, close } =
  typeof engine === 'string' ? ({} as Exclude<typeof engine, string>) : engine
const gateways = ['http://127.0.0.1:18080', 'http://127.0.0.1:18081']
const { atWork, freeze, cutOff, skewClock } = createFaults((...args) => docker(...args))
const scale = ['gateway', 'core', 'worker'].flatMap((name) => ['--scale', `${name}=2`])
const up = () =>
  compose('up', '--detach', '--wait', ...scale).catch(async (error) => {
    const health = await docker('ps', '--all', '--quiet').then((ids) =>
      docker('inspect', '--format', '{{.Name}} {{json .State.Health}}', ...ids.split('\n')),
    )
    throw new Error(`${error.message}\n${health}\n${await compose('logs', '--tail', '20')}`)
  })

// .ci/count.mjs prints this title, and does not count it as a skipped test.
if (typeof engine === 'string') test.skip(`containers skipped: ${engine}`, () => {})
afterAll(() => close?.(), 120_000)

describe.runIf(docker)('the image', { timeout: 900_000 }, () => {
  const inside = (name: string, script: string) => docker('exec', name, 'sh', '-c', script)

  test('is at most 400 MB larger than its base', async () => {
    const isCached = (await docker('images', '-q', 'lectern:0.1.0')) !== ''
    const begun = performance.now()
    await compose('build')
    const seconds = Math.round((performance.now() - begun) / 1_000)
    console.log(`built the images in ${seconds} s, ${isCached ? 'with' : 'without'} cached layers`)
    const sizes = await docker('image', 'inspect', '--format', '{{.Size}}', 'lectern:0.1.0', baseImage)
    const [whole, base] = sizes.split('\n').map(Number)
    expect((whole! - base!) / 1e6).toBeLessThanOrEqual(400)
  })

  test('is healthy under any user, read-only and without capabilities, and runs the command line', async () => {
    const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--network', 'none']
    onTestFinished(async () => void (await docker('rm', '--force', '--volumes', 'alone')))
    await docker(
      'run',
      '--detach',
      '--health-interval',
      '2s',
      '--name',
      'alone',
      '--user',
      '12345:12345',
      ...confined,
      'lectern:0.1.0',
    )
    const health = async () =>
      JSON.parse(await docker('inspect', '--format', '{{json .State.Health}}', 'alone'))
    await expect.poll(health, { timeout: 500_000, interval: 500 }).toMatchObject({ Status: 'healthy' })
    expect(await inside('alone', 'id -u; touch /lectern/x || echo refused')).toBe('12345\nrefused')
    expect(await inside('alone', 'bin/lectern status')).toMatch(/all-minilm-l6-v2/)
  })

  test('has a bill of materials (CycloneDX) that names every package in it', async () => {
    const list = `find node_modules -name package.json | xargs node -p 'process.argv.slice(1).map((path) => path.split("node_modules/").at(-1).split("/").slice(0, -1)).filter((name) => name.length === (name[0].startsWith("@") ? 2 : 1)).map((name) => name.join("/")).join("\\n")'`
    const run = (script: string) =>
      docker('run', '--rm', '--network', 'none', 'lectern:0.1.0', 'sh', '-c', script)
    const components: { name: string }[] = JSON.parse(await run('cat sbom.json')).components
    // `production` is a folder of Lectern, not a package.
    const named = components.map(({ name }) => name).filter((name) => name !== 'production')
    const found = (await run(list)).split('\n')
    expect([...new Set(found)].sort()).toEqual([...new Set(named)].sort())
  })
})

describe.runIf(docker)('docker compose up', { timeout: 600_000 }, () => {
  let site: Site
  beforeAll(async () => {
    await up()
    site = await openSite({}, '10.77.0.1')
    const names = ['install', 'timeout', 'keys']
    site.pages.set(
      '/',
      htmlPage(
        'Guide',
        'All of the guide.',
        names.map((name) => `/${name}.html`),
      ),
    )
    site.pages.set('/install.html', htmlPage('Installing', 'Run the installer and follow it to the end.'))
    site.pages.set('/timeout.html', htmlPage('Timeouts', 'The default timeout of a request is 30 seconds.'))
    site.pages.set('/keys.html', htmlPage('Keys', 'A key is revoked on the page of keys.'))
  }, 300_000)
  afterAll(() => site?.close())

  const headers = { authorization: `Api-Key ${adminKey}` }
  const slowPoll = { timeout: 500_000, interval: 250 }

  async function ask(gateway: number, method: string, path: string, body?: unknown) {
    const isForm = body instanceof FormData
    const answer = await fetch(`${gateways[gateway]}/api/v2/projects/${path}`, {
      method,
      headers: isForm ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') }
  }

  const titles = async (gateway: number, words: string) =>
    ((await ask(gateway, 'GET', `guide/search/?content_scope=all&q=${words}`)).body?.results ?? []).map(
      (result: { page_title: string }) => result.page_title,
    )
  const statusOf = async (run: string) => (await ask(1, 'GET', `guide/sync/${run}/`)).body?.status

  /** What `docker inspect` returns for each container of the stack. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields
  async function containers(): Promise<any[]> {
    return JSON.parse(await docker('inspect', ...(await compose('ps', '-q')).split('\n')))
  }

  test('every container is healthy, was started once, and has the limits of docker-compose.yml', async () => {
    const all = await containers()
    expect(all).toHaveLength(9)
    for (const { Name, Id, State, RestartCount, HostConfig } of all) {
      const logs = RestartCount > 0 ? await docker('logs', Id) : ''
      expect([State.Health.Status, RestartCount], `${Name} ${logs}`).toEqual(['healthy', 0])
      expect(HostConfig, Name).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'] })
      expect(HostConfig.SecurityOpt, Name).toEqual(['no-new-privileges:true'])
      const inside =
        'touch /x /usr/x || grep CapBnd /proc/1/status; cat /sys/fs/cgroup/memory/memory.limit_in_bytes'
      const [bounds, limit] = (await docker('exec', Id, 'sh', '-c', inside)).split('\n')
      expect(bounds, Name).toMatch(/CapBnd:\s*0+$/)
      expect(Number(limit), Name).toBe(HostConfig.Memory)
      expect(HostConfig.Memory, Name).toBeGreaterThan(0)
    }
  })

  test('crawls a site, reads a file, searches and answers, and serves the pages', async () => {
    expect((await ask(0, 'POST', '', { name: 'Guide' })).status).toBe(201)
    expect((await ask(1, 'POST', 'guide/sources/', { type: 'site', url: site.url })).status).toBe(201)
    const form = new FormData()
    form.append('files[]', new Blob(['# Keeper\n\nThe lighthouse keeper sleeps by day.\n']), 'keeper.md')
    expect((await ask(0, 'POST', 'guide/sources/', form)).status).toBe(201)
    const { body } = await ask(0, 'POST', 'guide/sync/')
    await expect.poll(() => statusOf(body.uuid), slowPoll).toBe('completed')
    for (const gateway of [0, 1]) {
      await expect.poll(() => titles(gateway, 'timeout'), slowPoll).toContain('Timeouts')
      await expect.poll(() => titles(gateway, 'lighthouse'), slowPoll).toContain('Keeper')
      const page = await fetch(`${gateways[gateway]}/console/`)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')])
    }

    const socket = await openChat(`${gateways[1]!.replace('http', 'ws')}/ws/messages/guide/`)
    onTestFinished(() => socket.close())
    const answer = await socket.ask({ message: 'What is the default timeout of a request?' })
    expect(answer).toMatchObject({ stopReason: 'stop', message: expect.stringContaining('30 seconds') })

    const temporal = 'http://127.0.0.1:8233'
    expect(await (await fetch(temporal)).text()).toContain('<!doctype html>')
    const query = encodeURIComponent('LecternProject="guide"')
    const runs = await fetch(`${temporal}/api/v1/namespaces/default/workflows?query=${query}`)
    expect(await runs.text()).toContain('sync/guide')
  })

  test('after one container of each kind is killed during a sync, Docker restarts it, and the run completes', async () => {
    const heldPage = holdPage(site, '/install.html')
    const { body } = await ask(1, 'POST', 'guide/sync/')
    await heldPage.asked
    const chat = await ask(1, 'POST', 'guide/chats/', { message: 'How is a key revoked?' })
    expect(chat.status).toBe(201)
    const victims = (await containers()).filter(({ Name }) => !/-2$/.test(Name))
    for (const { State } of victims) process.kill(State.Pid, 'SIGKILL')
    heldPage.release()
    const restarts = async () =>
      (await containers()).filter(
        ({ State, RestartCount }) => RestartCount === 1 && State.Health.Status === 'healthy',
      )
    await expect.poll(async () => (await restarts()).length, slowPoll).toBe(victims.length)
    await expect.poll(() => statusOf(body.uuid), slowPoll).toBe('completed')
    await expect.poll(() => titles(0, 'timeout'), slowPoll).toContain('Timeouts')
    expect((await ask(0, 'GET', `guide/chats/${chat.body.chat_uuid}/`)).body.messages).toHaveLength(2)
  })

  const faults = [
    { fault: 'mongo is paused', create: () => freeze('lectern-mongo-1') },
    { fault: 'weaviate is disconnected', create: () => cutOff('lectern-weaviate-1', 'weaviate') },
  ]
  test.each(faults)(
    'while $fault during a sync, requests are answered or refused, and the run completes afterwards',
    async ({ create }) => {
      const { begin, end } = create()
      const heldPage = holdPage(site, '/install.html')
      const { body } = await ask(1, 'POST', 'guide/sync/')
      await heldPage.asked
      const chat = (gateway: number) =>
        ask(gateway, 'POST', 'guide/chats/', { message: 'How is a key revoked?' })
      const answers = [await chat(0)]
      await begin()
      try {
        heldPage.release()
        const searches = [0, 1].map((gateway) => ask(gateway, 'GET', 'guide/search/?q=timeout'))
        answers.push(...(await Promise.all([0, 1].map(chat))))
        for (const { status } of await Promise.all(searches)) expect([200, 503]).toContain(status)
      } finally {
        await end()
      }
      expect(answers.filter(({ status }) => ![201, 503].includes(status))).toEqual([])
      await expect.poll(() => statusOf(body.uuid), slowPoll).toBe('completed')
      for (const gateway of [0, 1])
        await expect.poll(() => titles(gateway, 'timeout'), slowPoll).toContain('Timeouts')

      // A failed turn also returns 201. Its body reports the failure.
      const complete = answers.filter(
        ({ status, body }) =>
          status === 201 && body.ai_message.stopReason !== 'error' && !body.ai_message.incomplete,
      )
      expect(complete).toContain(answers[0])
      for (const { body } of complete) {
        const stored = async () =>
          (await ask(0, 'GET', `guide/chats/${body.chat_uuid}/`)).body?.messages?.map(
            ({ content }: { content: string }) => content,
          )
        await expect.poll(stored, slowPoll).toContain(body.ai_message.message)
      }
    },
  )

  test('a worker that is frozen beyond its heartbeat loses its run to the other, and disturbs nothing when it resumes', async () => {
    const heldPage = holdPage(site, '/install.html')
    const { body } = await ask(1, 'POST', 'guide/sync/')
    await heldPage.asked
    const [worker] = await atWork('worker', Number(new URL(site.url).port))
    const { begin, end } = freeze(worker!)
    await begin()
    try {
      heldPage.release()
      await expect.poll(() => statusOf(body.uuid), slowPoll).toBe('completed')
    } finally {
      await end()
    }
    const next = await ask(0, 'POST', 'guide/sync/')
    await expect.poll(() => statusOf(next.body.uuid), slowPoll).toBe('completed')
    expect(await statusOf(body.uuid)).toBe('completed')
    const resumed = (await ask(0, 'GET', `guide/sync/${body.uuid}/events/?type=run_resumed`)).body.count
    expect(resumed).toBeGreaterThanOrEqual(1)
    expect(await titles(0, 'timeout')).toContain('Timeouts')
  })

  test.each([
    ['ahead of', '+240'],
    ['behind', '-240'],
  ])(
    'if the clock of a core is 4 minutes %s that of the other, the run started last completes',
    async (_, seconds) => {
      const cores = (await containers()).filter(({ Name }) => Name.includes('-core-'))
      const hosts = cores.map(({ NetworkSettings }) => NetworkSettings.Networks.lectern_default.IPAddress)
      const { begin, end } = skewClock(cores[0].Name.slice(1), seconds)
      await begin()
      onTestFinished(async () => void (await end()))
      const heldPage = holdPage(site, '/install.html')
      const runs: string[] = []
      for (const host of [hosts[0], hosts[1], hosts[0], hosts[1]]) {
        const answer = await fetch(`http://${host}:50051/lectern.v1.SyncService/StartSync`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ slug: 'guide' }),
        })
        runs.push(((await answer.json()) as { run: { uuid: string } }).run.uuid)
      }
      heldPage.release()
      await expect.poll(() => statusOf(runs.at(-1)!), slowPoll).toBe('completed')
      for (const run of runs.slice(0, -1)) await expect.poll(() => statusOf(run), slowPoll).toBe('cancelled')
      const answers = await Promise.all(
        [0, 1].map((gateway) => ask(gateway, 'POST', 'guide/chats/', { message: 'How is a key revoked?' })),
      )
      for (const { body } of answers)
        expect((await ask(0, 'GET', `guide/chats/${body.chat_uuid}/`)).body.messages).toHaveLength(2)
    },
  )

  test('after the images are upgraded during a sync and chats, the run ends and acknowledged data exists', async () => {
    const imagesOf = async () => (await containers()).map(({ Name, Image }) => `${Name} ${Image}`).sort()
    const oldImages = await imagesOf()
    process.env.REVISION = '2'
    await compose('build')
    const heldPage = holdPage(site, '/install.html')
    const { body } = await ask(1, 'POST', 'guide/sync/')
    await heldPage.asked

    const complete: { chat: string; answer: string }[] = []
    let isOver = false
    async function askOnce(gateway: number) {
      const { body } = await ask(gateway, 'POST', 'guide/chats/', { message: 'How is a key revoked?' })
      if (!body.ai_message.incomplete)
        complete.push({ chat: body.chat_uuid, answer: body.ai_message.message })
      return true
    }
    const readers = [0, 1].map(async (gateway) => {
      const asking = { ...slowPoll, timeout: 600_000 }
      while (!isOver) await expect.poll(() => askOnce(gateway).catch(() => false), asking).toBe(true)
    })
    await up()
    isOver = true
    await Promise.all(readers)
    heldPage.release()

    const newImages = await imagesOf()
    expect(newImages).toHaveLength(oldImages.length)
    expect(newImages.filter((image) => oldImages.includes(image))).toEqual([])
    await expect.poll(() => statusOf(body.uuid), slowPoll).toBe('completed')
    await expect.poll(() => titles(0, 'installer'), slowPoll).toContain('/install.html')
    expect(complete.length).toBeGreaterThanOrEqual(2)
    for (const { chat, answer } of complete) {
      const { messages } = (await ask(0, 'GET', `guide/chats/${chat}/`)).body
      expect(messages.map(({ content }: { content: string }) => content)).toContain(answer)
    }
  })

  test('after a graceful stop and a new start, all data exists', async () => {
    const { count } = (await ask(0, 'GET', 'guide/chats/')).body
    await compose('down')
    await up()
    expect((await ask(1, 'GET', 'guide/chats/')).body.count).toBe(count)
    expect(await titles(0, 'timeout')).toContain('Timeouts')
    expect(await titles(1, 'lighthouse')).toContain('Keeper')
  })
})
