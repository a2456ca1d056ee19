// Faults of the containers of docker-compose.yml: each is killed, frozen and cut off during a sync, while readers search and chat; a
// core's clock is wrong; the complete stack is restarted and upgraded. Docker restarts killed containers; nothing else is restarted.
import { setTimeout as after } from 'node:timers/promises'
import { adminKey, openEngine } from '../containers/engine.ts'
import { createFaults, type Fault } from '../containers/faults.ts'
import { htmlPage, openSite } from '../e2e/site.ts'
import { type HeldPage, holdPage } from '../servers/held-page.ts'
import type { BenchOptions } from './bench-options.ts'
import { type Table, toTarget } from './report.ts'

const gateways = ['http://127.0.0.1:18080', 'http://127.0.0.1:18081']
const lectern = ['gateway', 'core', 'worker']
const services = [...lectern, 'mongo', 'weaviate', 'temporal']
/** Seconds that are added to the clock. Clocks may differ by five minutes (manual/production.md). */
const skews: Record<string, string> = { 'clock 4 min ahead': '+240', 'clock 4 min behind': '-240' }
const faults = [
  ...['killed', 'frozen 10 s', 'cut off 10 s'].flatMap((kind) => services.map((name) => [name, kind])),
  ...Object.keys(skews).map((kind) => ['core', kind]),
  ['lectern', 'upgraded'],
  ['all', 'upgraded'],
  ['all', 'restarted'],
] as [service: string, kind: string][]
const faultMs = 10_000
/** Milliseconds after which a caller counts a request as unanswered. */
const callerTimeout = 20_000
const maxRecoveryMs = 180_000
const pageCount = 30

interface Call {
  gateway: number
  what: 'search' | 'chat'
  at: number
  ms: number
  /** 0 if nothing answered. */
  status: number
  /** For an answered chat. An answer that is not incomplete was acknowledged, so it must exist later. */
  chat?: string
  answer?: string
  incomplete?: boolean
}

export async function measureFaults({ only }: BenchOptions): Promise<Table[]> {
  const engine = await openEngine()
  if (typeof engine === 'string') throw new Error(`No container runs here: ${engine}`)
  const { docker, compose, close } = engine
  const { pidOf, atWork, freeze, cutOff, skewClock } = createFaults(docker)
  const rows: Table['rows'] = []

  async function ask(gateway: number, method: string, path: string, body?: unknown) {
    const answer = await fetch(`${gateways[gateway]}/api/v2/projects/${path}`, {
      method,
      headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(callerTimeout),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') }
  }

  async function call(gateway: number, what: Call['what']): Promise<Call> {
    const at = performance.now()
    const asking =
      what === 'search'
        ? ask(gateway, 'GET', 'guide/search/?q=start')
        : ask(gateway, 'POST', 'guide/chats/', { message: 'Where do I begin?' })
    const { status, body } = await asking.catch(() => ({ status: 0, body: null }))
    // A failed turn returns 201, too, and reports the failure.
    const isTurn = status === 201 && body.ai_message.stopReason !== 'error'
    const result = status === 201 && !isTurn ? 503 : status
    return {
      gateway,
      what,
      at,
      ms: performance.now() - at,
      status: result,
      ...(isTurn && {
        chat: body.chat_uuid,
        answer: body.ai_message.message,
        incomplete: body.ai_message.incomplete,
      }),
    }
  }

  const isReady = async () =>
    (
      await Promise.all(
        gateways.map((base) =>
          fetch(`${base}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      )
    ).every(Boolean)

  /** Milliseconds until the condition holds; null if it does not within three minutes. */
  async function until(holds: () => Promise<boolean>): Promise<number | null> {
    const from = performance.now()
    while (performance.now() - from < maxRecoveryMs) {
      if (await holds().catch(() => false)) return performance.now() - from
      await after(200)
    }
    return null
  }

  const lasting: Record<string, (name: string, service: string) => Fault> = {
    'frozen 10 s': freeze,
    'cut off 10 s': cutOff,
    ...Object.fromEntries(
      Object.entries(skews).map(([kind, seconds]) => [kind, (name: string) => skewClock(name, seconds)]),
    ),
  }

  async function inflict(service: string, name: string, kind: string, meanwhile: () => Promise<void>) {
    if (kind === 'restarted') return compose('restart')
    if (kind === 'upgraded') {
      // According to manual/production.md; otherwise Lectern waits for unavailable servers, and stops slowly.
      if (service === 'all') await compose('stop', ...lectern)
      return up('--detach')
    }
    if (kind === 'killed') return process.kill(await pidOf(name), 'SIGKILL')
    const fault = lasting[kind]!(name, service)
    await fault.begin()
    if (kind in skews) await meanwhile()
    await after(faultMs)
    return fault.end()
  }

  const scale = lectern.flatMap((name) => ['--scale', `${name}=2`])
  const up = (...flags: string[]) => compose('up', ...flags, ...scale)

  try {
    await compose('build')
    await up('--detach', '--wait')
    const site = await openSite({}, '10.77.0.1')
    await ask(0, 'POST', '', { name: 'Guide' })
    await ask(0, 'POST', 'guide/sources/', { type: 'site', url: site.url })

    const port = Number(new URL(site.url).port)
    const asked =
      only.length === 0 ? faults : faults.filter((fault) => fault.some((word) => only.includes(word)))
    for (const [service, kind] of asked) {
      const mark = `${service}${kind.replaceAll(/\W/g, '')}`
      const names = Array.from({ length: pageCount }, (_, at) => `/p${at}.html`)
      site.pages.set('/', htmlPage('Start', `Where to start: begin here, ${mark}.`, names))
      for (const name of names) site.pages.set(name, htmlPage(name, `The page ${name} of ${mark}.`))
      if (kind === 'upgraded') {
        process.env.REVISION = `${Date.now()}`
        await compose('build', ...(service === 'lectern' ? lectern : []))
      }
      // A gateway chooses its core at random.
      while (!(await until(isReady)) || (await atWork('core', port)).length < 2)
        await docker('restart', 'lectern-gateway-2')
      // One page arrives during the fault, one after it.
      const [middle, last] = [2, 1].map((at) => holdPage(site, names.at(-at)!, `A page of ${mark}.`)) as [
        HeldPage,
        HeldPage,
      ]
      let run = (await ask(1, 'POST', 'guide/sync/')).body.uuid
      await Promise.all([middle.asked, last.asked])

      const calls: Promise<Call>[] = []
      let isOver = false
      const readers = (async () => {
        for (let turn = 0; !isOver; turn++) {
          calls.push(call(turn % 2, turn % 4 < 2 ? 'search' : 'chat'))
          await after(250)
        }
      })()
      await after(1_000)
      const begun = performance.now()
      setTimeout(middle.release, 1_000)
      const [name = service] = services.includes(service) ? await atWork(service, port) : []
      await inflict(service, name, kind, async () => {
        for (const gateway of [0, 1, 0]) run = (await ask(gateway, 'POST', 'guide/sync/')).body.uuid
      })
      const ended = performance.now()
      last.release()
      const found = async () => (await ask(1, 'GET', `guide/search/?q=${mark}&limit=50`)).body.results.length
      const completed = async () => (await ask(1, 'GET', `guide/sync/${run}/`)).body.status === 'completed'
      const resumed = async () =>
        (await ask(1, 'GET', `guide/sync/${run}/events/?type=run_resumed`)).body.count
      const served = async () =>
        (await isReady()) &&
        (await Promise.all([0, 1].map((at) => call(at, 'chat')))).every(({ chat }) => chat)
      const recovered = await until(served)
      const synced = await until(async () => (await completed()) && (await found()) === pageCount + 1)
      isOver = true
      await readers
      const done = await Promise.all(calls)

      // The reader of an incomplete answer knows that it may not be stored; the question is stored.
      const chats = done.filter(({ chat }) => chat)
      const acknowledged = chats.filter(({ incomplete }) => !incomplete)
      const lost = []
      for (const call of chats) {
        const { body } = await ask(1, 'GET', `guide/chats/${call.chat}/`)
        const stored: string[] = body?.messages?.map(({ content }: { content: string }) => content) ?? []
        const isWhole = stored.length === 2 && stored[0] === call.answer
        if (!isWhole && !(call.incomplete && stored.length > 0)) lost.push({ ...call, stored })
      }
      if (lost.length > 0) console.log(JSON.stringify({ lost }))
      const servedAt = ended + (recovered ?? 0)
      const during = done.filter(({ at, ms }) => at + ms > begun && at < servedAt)
      const answered = during.filter(({ status }) => status === 200 || status === 201)
      const refused = during.filter(({ status }) => status >= 400)
      const ends = answered.map(({ at, ms }) => Math.min(at + ms, servedAt))
      const moments = [begun, ...ends.sort((a, b) => a - b), servedAt]
      const pauses = moments.slice(1).map((moment, at) => moment - moments[at]!)
      const slowest = (those: Call[]) =>
        those.length === 0 ? null : Math.max(...those.map(({ ms }) => ms)) / 1_000
      const row = {
        container: service,
        fault: kind,
        answered: answered.length,
        'slowest s': slowest(answered),
        refused: refused.length,
        'slowest refusal s': slowest(refused),
        unanswered: during.filter(({ status }) => status === 0).length,
        'nothing answered s': Math.max(...pauses) / 1_000,
        'recovered s': recovered === null ? null : recovered / 1_000,
        resumed: await resumed(),
        'synced s': synced === null ? 'never' : (synced + (recovered ?? 0)) / 1_000,
        'chats answered': acknowledged.length,
        'ended interrupted': chats.length - acknowledged.length,
        'not stored whole': lost.length,
      }
      console.log(JSON.stringify(row))
      rows.push(row)
    }
    await site.close()
  } finally {
    await close()
  }
  const notes = [
    'Two gateways, cores and workers. The fault hits one container: a core that a gateway calls, the worker that reads the site, or the only one. A sync of 31 pages runs: one page arrives during the fault, one after it.',
    'Clock: of one core; each core starts a sync meanwhile. Upgraded: `docker compose up` with images of another label, of Lectern alone or of all, after `docker compose stop gateway core worker`. Restarted: `docker compose restart`.',
    'Four requests a second, searches and chats, half through each gateway. Unanswered: the connection failed, or nothing came for 20 s.',
    'Recovered and synced: seconds after the end of the fault until both gateways answer a question, and until the sync is complete and each page found. Resumed: how often a worker continued the sync of another worker, or of an earlier attempt. Nothing answered: the longest time without an answer.',
    'Ended interrupted: chats whose answer is incomplete, so the reader knows that it may not be stored. Not stored whole: other chats that lack a message or have another answer, and chats without a question.',
  ]
  return [{ title: 'Faults of containers', rows, notes }, toTargets(rows)]
}

function toTargets(rows: Table['rows']): Table {
  const of = (column: string, absent: number) => rows.map((row) => Number(row[column] ?? absent))
  const recovery = Math.max(...of('recovered s', Number.POSITIVE_INFINITY))
  const lost = of('not stored whole', 0).reduce((sum, count) => sum + count, 0)
  return {
    title: 'Faults of containers: targets',
    rows: [
      toTarget('slowest recovery, s', recovery, '≤', 30),
      toTarget('acknowledged chats that were lost', lost, '≤', 0),
      toTarget('slowest refusal, s', Math.max(...of('slowest refusal s', 0)), '≤', 3),
    ],
  }
}
