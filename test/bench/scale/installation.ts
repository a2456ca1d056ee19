// The installation for the benchmark of scale: Lectern embedded or on the tests' servers, a corpus served as sites, and REST calls.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { adminKey } from '../../e2e/lectern-process.ts'
import { openStack } from '../../servers/stack/stack.ts'
import type { Corpus } from '../corpus/written-corpus.ts'
import { emptyTimes, type KeystrokeClass, type Keystrokes } from '../latency/keystrokes.ts'
import { openLectern } from '../lectern.ts'
import type { BenchSite } from '../site/open-site.ts'
import { createRandom, sample, timed } from '../statistics.ts'

export interface Installation {
  gateways: string[]
  /** Process IDs by name: `lectern`, or the services of docker-compose.yml. */
  processes: [name: string, pid: number][]
  data: string
  close(): Promise<void>
}

export type Scale = { gateway?: number; core?: number; worker?: number }
export const kinds = ['embedded', 'servers'] as const

/** `corpus` with a hundred keystrokes of each kind. */
export function sampleKeystrokes({ keystrokes }: Corpus): Keystrokes {
  const some = (kind: KeystrokeClass) => sample(keystrokes[kind], 100, createRandom(3))
  return { 'one letter': some('one letter'), typing: some('typing'), questions: some('questions') }
}

export async function open(kind: (typeof kinds)[number], scale: Scale = {}): Promise<Installation> {
  if (kind === 'embedded') {
    const lectern = await openLectern()
    const processes: Installation['processes'] = [['lectern', lectern.process.pid!]]
    return { gateways: [lectern.baseUrl], processes, data: lectern.data, close: () => lectern.remove() }
  }
  const data = mkdtempSync(join(tmpdir(), 'lectern-bench-stack-'))
  const secrets = ['MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'LECTERN_WEAVIATE_KEY']
  const variables = {
    ...Object.fromEntries(secrets.map((name) => [name, 'a-password-of-the-benchmark'])),
    ...{ LECTERN_ADMIN_KEY: adminKey, LECTERN_SECRET: Buffer.alloc(32, 7).toString('base64') },
    ...{ LECTERN_CRAWL_ALLOW: '127.0.0.0/8', LECTERN_TRUST_PROXY: '127.0.0.0/8' },
    ...{ LECTERN_EMBEDDINGS: 'off', LECTERN_LOG: 'warn' },
  }
  const stack = await openStack({ variables, scale, data, isPublished: false, print: () => {} })
  return {
    gateways: Array.from(
      { length: scale.gateway ?? 1 },
      (_, at) => `http://${stack.address('gateway', at + 1, 8080)}`,
    ),
    processes: stack.containers.map((container) => [container.name.replace(/-\d+$/, ''), container.pid()]),
    data,
    async close() {
      await stack.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any endpoint
export async function call(base: string, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${base}/api/v2/projects/${path}`, {
    method,
    headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  // Temporary rejections can be retried.
  if (answer.status === 503) return delay(1_000).then(() => call(base, method, path, body))
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

export async function addProject(
  { gateways: [base] }: Installation,
  slug: string,
  site: BenchSite,
): Promise<void> {
  await call(base!, 'POST', '', { name: slug, slug })
  await call(base!, 'POST', `${slug}/sources/`, { type: 'site', url: `${site.origin}/corpus/index.html` })
}

/** Seconds from the call to the end that the run reports. */
export async function sync({ gateways: [base] }: Installation, slug: string): Promise<number> {
  const { uuid } = await call(base!, 'POST', `${slug}/sync/`)
  for (;;) {
    await delay(1_000)
    const { status, created_at, finished_at, error } = await call(base!, 'GET', `${slug}/sync/${uuid}/`)
    if (status === 'completed') return (Date.parse(finished_at) - Date.parse(created_at)) / 1_000
    if (status !== 'queued' && status !== 'running')
      throw new Error(`the sync of ${slug} ${status}: ${error}`)
  }
}

/** Searches `slug` sequentially, the kinds in turn, until `isOver`; without it, each query at least once. */
export async function search(base: string, slug: string, keystrokes: Keystrokes, isOver?: () => boolean) {
  const times = emptyTimes()
  for (let at = 0; isOver ? !isOver() : at < keystrokes.questions.length; at++) {
    for (const kind of Object.keys(times) as KeystrokeClass[]) {
      const q = keystrokes[kind][at % keystrokes[kind].length]!
      times[kind].push(await timed(() => call(base, 'GET', `${slug}/search/?q=${encodeURIComponent(q)}`)))
    }
  }
  return times
}

/** MB of 2^20 bytes that are resident, of Lectern's processes and of the servers. */
export function readMemory({ processes }: Installation) {
  const servers = new Set(['mongo', 'weaviate', 'temporal'])
  const sum = (isServer: boolean) =>
    processes
      .filter(([name]) => servers.has(name) === isServer)
      .map(
        ([, pid]) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024,
      )
      .reduce((all, one) => all + one, 0)
  return { 'Lectern MB': Math.round(sum(false)), 'servers MB': Math.round(sum(true)) }
}

export const readDisk = (folder: string) =>
  Number(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0])
