// Starts a real Lectern process for tests, on free ports with its own data folder, and calls it over REST.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureTeam } from '../../app/application.ts'
import { openStore } from '../../services/drivers.ts'
import { project } from '../contract/store-case.ts'
import { nodeEnv } from '../node-env.ts'
import { freePorts } from '../servers/server-process.ts'

export const adminKey = 'an-admin-key-for-tests-only'
const root = new URL('../../', import.meta.url)
/** Content types of answers that are not a JSON document: events and files. */
const streams = ['text/event-stream', 'application/octet-stream']

export interface LecternOptions {
  /** An existing folder; if absent, a new temporary one, which `remove` deletes. */
  data?: string
  /** The address given on the command line. */
  address?: string
  /** Whether a new data folder is empty, so that Lectern crawls its manual. By default it has the project `manual` without sources. */
  crawlsManual?: boolean
  env?: Record<string, string>
  /** A program with arguments that runs Lectern, such as a tracer. */
  wrapper?: string[]
}

export interface LecternProcess {
  baseUrl: string
  /** `host:port` of the core. */
  grpc: string
  data: string
  process: ChildProcess
  /** Lines printed so far. */
  output: string[]
  /** Calls REST with the admin key. Parses the body of the answer, unless it is a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of any endpoint
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>
  /** Resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Stops the process gracefully and deletes its data folder. */
  remove(): Promise<void>
}

let backendsOf: (data: string) => Record<string, string> = () => ({})

/** Settings of the backends for each process started from now on, by its data folder. */
export function useBackends(settings: typeof backendsOf): void {
  backendsOf = settings
}

/** Resolves when Lectern reports that it is ready; rejects with its output if it ends first. */
export async function startLectern(options: LecternOptions = {}): Promise<LecternProcess> {
  const lectern = await spawnLectern(options)
  await lectern.ready
  return lectern
}

let shared: Promise<LecternProcess> | undefined

/** One process for all suites of a test file. The file closes it. */
export function sharedLectern(): Promise<LecternProcess> {
  shared ??= startLectern()
  return shared
}

export const closeSharedLectern = async () => (await shared)?.remove()

/** Like startLectern, but returns at once: `ready` settles later. For kills during the start. */
export async function spawnLectern(
  options: LecternOptions = {},
): Promise<LecternProcess & { ready: Promise<void> }> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), 'lectern-test-')))
  const settings: Record<string, string> = { ...backendsOf(data), ...options.env }
  if (!options.address && !options.crawlsManual && !settings.LECTERN_ROLE)
    await insertManualProject(data, settings)
  const [http, grpc] = (await freePorts(2)).map((port) => `127.0.0.1:${port}`) as [string, string]
  const [command, ...before] = [...(options.wrapper ?? []), process.execPath]
  const child = spawn(
    command!,
    [
      ...before,
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=4',
      'app/main.ts',
      ...(options.address ? [options.address] : []),
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...nodeEnv,
        MALLOC_ARENA_MAX: '2',
        MALLOC_MMAP_THRESHOLD_: '131072',
        MALLOC_TRIM_THRESHOLD_: '131072',
        LECTERN_DATA: data,
        LECTERN_HTTP: http,
        LECTERN_GRPC: grpc,
        LECTERN_ADMIN_KEY: adminKey,
        LECTERN_CRAWL_ALLOW: '127.0.0.0/8',
        LECTERN_LOG: 'warn',
        // No test downloads a model. Tests that need one use an endpoint or the test weights (test/model/weights.ts).
        LECTERN_EMBEDDINGS: settings.LECTERN_EMBEDDINGS_URL ? '' : 'off',
        ...settings,
        NODE_OPTIONS: [nodeEnv.NODE_OPTIONS, settings.NODE_OPTIONS].join(' '),
      },
    },
  )
  const output: string[] = []
  const ready = Promise.withResolvers<void>()
  // A test that kills during the start does not wait for it.
  ready.promise.catch(() => {})
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line)
      if (line.startsWith('Lectern is ready')) ready.resolve()
    })
  }
  const exited = once(child, 'exit')
  exited.then(() => ready.reject(new Error(`Lectern ended before it was ready:\n${output.join('\n')}`)))

  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  return {
    baseUrl: `http://${http}`,
    grpc,
    data,
    process: child,
    output,
    ready: ready.promise,
    kill,
    async call(method, path, body) {
      const response = await fetch(`http://${http}${path}`, {
        method,
        headers: {
          authorization: `Api-Key ${adminKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isStream = streams.includes(response.headers.get('content-type') ?? '')
      return { status: response.status, body: text === '' ? null : isStream ? text : JSON.parse(text) }
    },
    async remove() {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGTERM')
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** Inserts the project of the first start into an empty store, because crawling the manual takes as long as a start. */
async function insertManualProject(
  data: string,
  { LECTERN_MONGODB_URL: mongodb = null }: Record<string, string | null>,
) {
  if (existsSync(join(data, 'lectern.db'))) return
  const store = await openStore({ data, mongodb })
  if ((await store.teams.first()) === null) {
    const now = new Date()
    await ensureTeam(store.teams, now)
    const [createdAt, team] = [now.toISOString(), (await store.teams.first())!.uuid]
    const rest = {
      slug: 'manual',
      name: 'Lectern manual',
      allowedDomains: [],
      createdAt,
      updatedAt: createdAt,
    }
    await store.projects.insert(project(randomUUID(), { team, ...rest }))
  }
  await store.close()
}

/**
 * Resolves when a search of the project is answered. The first one prepares its index, which on a busy machine may take longer than
 * the three seconds after which a search is rejected, and not every page retries a search.
 */
export async function searchAnswered(lectern: LecternProcess, slug: string): Promise<void> {
  const search = () => lectern.call('GET', `/api/v2/projects/${slug}/search/explain/?q=install`)
  while ((await search()).status === 503) await new Promise((resolve) => setTimeout(resolve, 50))
}

export type Run = { uuid: string; status: string; pages: Record<string, number>; error: string | null }

/**
 * Polls a run until it has ended, since REST has no other way to wait. Rejects after `timeoutMs` with the state of the run
 * and the output of Lectern.
 */
export async function runEnded(
  lectern: LecternProcess,
  slug: string,
  uuid: string,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Run> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { status, body } = await lectern.call('GET', `/api/v2/projects/${slug}/sync/${uuid}/`)
    if (status !== 200) throw new Error(`the run cannot be read: ${status} ${JSON.stringify(body)}`)
    if (['completed', 'failed', 'cancelled'].includes(body.status)) return body
    if (performance.now() > deadline) {
      throw new Error(`the run has not ended: ${JSON.stringify(body)}\n${lectern.output.join('\n')}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Starts a sync of the project and waits for its end. */
export async function syncToEnd(lectern: LecternProcess, slug: string): Promise<Run> {
  const { status, body } = await lectern.call('POST', `/api/v2/projects/${slug}/sync/`)
  if (status !== 202) throw new Error(`no sync was started: ${status} ${JSON.stringify(body)}`)
  return runEnded(lectern, slug, body.uuid)
}
