// Faults of the containers of docker-compose.yml: each is killed, frozen and cut off amid a sync, while readers search and ask.
// Docker restarts what was killed; nobody restarts anything else.
import { setTimeout as after } from 'node:timers/promises'
import { adminKey, openEngine } from '../containers/engine.ts'
import { htmlPage, openSite } from '../e2e/site.ts'
import { holdPage } from '../servers/held-page.ts'
import type { Table } from './report.ts'

const gateways = ['http://127.0.0.1:18080', 'http://127.0.0.1:18081']
const services = ['gateway', 'core', 'worker', 'mongo', 'weaviate', 'temporal']
const kinds = ['killed', 'frozen 10 s', 'cut off 10 s'] as const
const faultMs = 10_000
/** Milliseconds that a caller waits before it counts a request as unanswered. */
const callerTimeout = 20_000
const maxRecoveryMs = 180_000
const pageCount = 30

interface Call {
  gateway: number
  what: 'search' | 'chat'
  at: number
  ms: number
  /** 0 where nothing answered. */
  status: number
  /** Of a chat that was answered: one whose answer is `stop` was acknowledged, so it must be there later. */
  chat?: string
  stopReason?: string
  incomplete?: boolean
}

export async function measureFaults(): Promise<Table[]> {
  const engine = await openEngine()
  if (typeof engine === 'string') throw new Error(`No container runs here: ${engine}`)
  const { docker, compose, close } = engine
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
    // A turn that failed answers 201, too, and says so.
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
        stopReason: body.ai_message.stopReason,
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

  /** Milliseconds until it holds; null where it does not within three minutes. */
  async function until(holds: () => Promise<boolean>): Promise<number | null> {
    const from = performance.now()
    while (performance.now() - from < maxRecoveryMs) {
      if (await holds().catch(() => false)) return performance.now() - from
      await after(200)
    }
    return null
  }

  async function inflict(service: string, kind: (typeof kinds)[number]) {
    const name = `lectern-${service}-1`
    if (kind === 'killed') {
      process.kill(Number(await docker('inspect', '--format', '{{.State.Pid}}', name)), 'SIGKILL')
    } else if (kind === 'frozen 10 s') {
      await docker('pause', name)
      await after(faultMs)
      await docker('unpause', name)
    } else {
      await docker('network', 'disconnect', 'lectern_default', name)
      await after(faultMs)
      await docker('network', 'connect', '--alias', service, 'lectern_default', name)
    }
  }

  try {
    await compose('build')
    await compose(
      'up',
      '--detach',
      '--wait',
      ...services.slice(0, 3).flatMap((name) => ['--scale', `${name}=2`]),
    )
    const site = await openSite({}, '10.77.0.1')
    await ask(0, 'POST', '', { name: 'Guide' })
    await ask(0, 'POST', 'guide/sources/', { type: 'site', url: site.url })

    for (const [service, kind] of kinds.flatMap((kind) =>
      services.map((service) => [service, kind] as const),
    )) {
      const mark = `${service}${kind.slice(0, 3)}`
      const names = Array.from({ length: pageCount }, (_, at) => `/p${at}.html`)
      site.pages.set('/', htmlPage('Start', `Where to start: begin here, ${mark}.`, names))
      for (const name of names) site.pages.set(name, htmlPage(name, `The page ${name} of ${mark}.`))
      if ((await until(isReady)) === null)
        throw new Error(`the stack is not ready before ${service} is ${kind}`)
      const held = holdPage(site, `/p${pageCount - 1}.html`)
      const run = (await ask(1, 'POST', 'guide/sync/')).body.uuid
      await held.asked

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
      await inflict(service, kind)
      const ended = performance.now()
      held.release()
      const searched = async () => (await ask(1, 'GET', `guide/search/?q=${mark}`)).body.results.length > 0
      const completed = async () => (await ask(1, 'GET', `guide/sync/${run}/`)).body.status === 'completed'
      const served = async () =>
        (await isReady()) &&
        (await Promise.all([0, 1].map((at) => call(at, 'chat')))).every(({ chat }) => chat)
      const recovered = await until(served)
      const synced = await until(async () => (await completed()) && (await searched()))
      isOver = true
      await readers
      const done = await Promise.all(calls)

      // A reader of an incomplete answer was told that it may not be stored.
      const chats = done.filter(({ chat }) => chat)
      const acknowledged = chats.filter(({ incomplete }) => !incomplete)
      const messages = async ({ chat }: Call) => (await ask(1, 'GET', `guide/chats/${chat}/`)).body?.messages
      const lost = []
      for (const call of acknowledged) {
        const stored = (await messages(call))?.map(({ stop_reason }: { stop_reason: string }) => stop_reason)
        if (stored?.length !== 2 || stored[1] !== call.stopReason) lost.push({ ...call, stored })
      }
      if (lost.length > 0) console.log(JSON.stringify({ lost }))
      const during = done.filter(({ at, ms }) => at + ms > begun && at < ended + (recovered ?? 0))
      const answered = during.filter(({ status }) => status === 200 || status === 201)
      const refused = during.filter(({ status }) => status >= 400)
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
        'recovered s': recovered === null ? null : recovered / 1_000,
        'synced s': synced === null ? 'never' : (synced + (recovered ?? 0)) / 1_000,
        'chats answered': acknowledged.length,
        'told interrupted': chats.length - acknowledged.length,
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
    'Two gateways, cores and workers; the first of each, or the only one, has the fault amid a sync of 31 pages.',
    'Four requests a second, searches and chats, half through each gateway. Unanswered: the connection failed, or nothing came for 20 s.',
    'Recovered and synced: seconds after the end of the fault until both gateways answer a question, and until the sync is complete and found.',
    'Told interrupted: chats whose answer is incomplete, so that its reader does not take it for stored. Not stored whole: those of the others that lack a message or have another stop reason.',
  ]
  return [{ title: 'Faults of containers', rows, notes }]
}
