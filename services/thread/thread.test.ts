import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DomainError } from '../errors.ts'
import { createThread, ThreadGone, type ThreadOptions } from './thread.ts'

interface Api {
  double(number: number): Promise<number>
  /** Identifies the thread. */
  id(): Promise<number>
  youngGeneration(): Promise<number>
  refuse(): Promise<never>
  die(): Promise<never>
  leave(): Promise<never>
  leaveLater(): Promise<void>
  askDouble(number: number): Promise<number>
  askRefuse(): Promise<never>
  tell(): Promise<void>
  complain(): Promise<void>
  spin(): Promise<never>
  wait(milliseconds: number): Promise<void>
}

let thread: ReturnType<typeof createThread<Api>>
let reports: string[]
beforeEach(() => {
  reports = []
})
afterEach(() => thread.close())

function open(options: Partial<ThreadOptions<Api>> = {}) {
  thread = createThread<Api>({
    entry: new URL('../../test/fixtures/served-thread.ts', import.meta.url),
    workerData: { factor: 2 },
    cpuLimit: 10_000,
    idleTimeout: null,
    settleTime: 0,
    report: (error) => reports.push((error as Error).message),
    ...options,
  })
  return thread.api
}

/** Waits for the thread that replaces the one with this id. */
const another = (id: number) => expect.poll(() => thread.api.id().catch(() => id)).not.toBe(id)

test('starts the thread with the first call, and answers each', async () => {
  const api = open()
  expect(await Promise.all([api.double(3), api.double(4)])).toEqual([6, 8])
})

test.runIf(process.platform === 'linux')(
  'starts threads in a process of low priority that may not raise it',
  async () => {
    const modules = ['./thread.ts', '../../test/fixtures/served-thread.ts']
    const [library, entry] = modules.map((path) => new URL(path, import.meta.url).href)
    const script = `
      const { createThread } = await import('${library}')
      const entry = new URL('${entry}')
      const limits = { workerData: { factor: 2 }, cpuLimit: 10_000, idleTimeout: null, settleTime: 0, report: console.error }
      const { api, close } = createThread({ entry, ...limits })
      console.log(await api.double(3))
      await close()`
    const unprivileged = ['--bounding-set=-sys_nice', '--inh-caps=-sys_nice', 'nice', '-n', '5']
    const node = [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script,
    ]
    const isRoot = process.getuid!() === 0
    const [program, ...args] = [...(isRoot ? ['setpriv', ...unprivileged] : unprivileged.slice(2)), ...node]
    expect((await promisify(execFile)(program!, args)).stdout).toBe('6\n')
  },
)

test('sizes the young generation by its limits, whatever the process is started with', async () => {
  setFlagsFromString('--max-semi-space-size=4')
  const api = open({ resourceLimits: { maxYoungGenerationSizeMb: 96 } })
  expect(await api.youngGeneration()).toBeGreaterThan(8 * 2 ** 20)
})

test('keeps the reason and fields of an error', async () => {
  const refused = await open()
    .refuse()
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DomainError)
  expect(refused).toMatchObject({
    reason: 'not_found',
    message: 'No such page.',
    fields: { url: ['is unknown'] },
  })
})

test('lets the thread call its owner, whose errors keep their reason, too', async () => {
  const api = open({
    serves: {
      double: async (number: number) => 2 * number,
      refuse: async () => {
        throw new DomainError('not_found', 'No such page.')
      },
    },
  })
  expect(await Promise.all([api.askDouble(3), api.askDouble(4)])).toEqual([6, 8])
  await expect(api.askRefuse()).rejects.toMatchObject({ reason: 'not_found', message: 'No such page.' })
})

test('passes log lines to the owner', async () => {
  const lines: string[] = []
  const log = {
    info: (line: string) => lines.push(`info ${line}`),
    warn: (line: string) => lines.push(`warn ${line}`),
  }
  await open({ log }).tell()
  expect(lines).toEqual(['info half is done', 'warn the rest is late'])
})

test('passes reported errors to the owner', async () => {
  await open().complain()
  expect(reports).toEqual([expect.stringContaining('background work failed')])
})

test('throws what stops the start', async () => {
  open({ workerData: { factor: null }, settleTime: 1_000_000 })
  await expect(thread.start()).rejects.toThrow('a factor is needed')
  await expect(thread.api.double(1)).rejects.toMatchObject({ reason: 'unavailable' })
})

test.each([
  ['throws an uncaught error', (api: Api) => api.die(), 'the thread died'],
  ['exits', (api: Api) => api.leave(), 'the thread served-thread ended with code 3'],
])('restarts and reports a thread that %s; running calls are unavailable', async (_, end, cause) => {
  const begun: number[] = []
  const api = open({ begin: async (api) => void begun.push(await api.id()) })
  const first = await api.id()
  const calls = await Promise.allSettled([end(api), api.wait(1_000_000)])
  expect(calls).toMatchObject([
    { status: 'rejected', reason: { reason: 'unavailable', wasFirst: true } },
    { status: 'rejected', reason: { reason: 'unavailable', wasFirst: false } },
  ])
  await another(first)
  expect(reports).toEqual([cause])
  expect(begun).toEqual([first, await api.id()])
})

test('does not restart a thread at once that died soon after its start', async () => {
  const api = open({ settleTime: 1_000_000 })
  await expect(api.die()).rejects.toBeInstanceOf(ThreadGone)
  await expect(api.double(1)).rejects.toBeInstanceOf(ThreadGone)
})

test.each([null, 1_000_000])(
  'replaces a thread whose start hook fails, with the idle timeout %s',
  async (idleTimeout) => {
    const begun = Promise.withResolvers<void>()
    let tries = 0
    open({
      idleTimeout,
      async begin() {
        tries += 1
        if (tries === 1) throw new Error('the folder is locked')
        begun.resolve()
      },
    })
    await thread.start()
    await begun.promise
    expect(reports).toEqual(['the folder is locked', 'the thread served-thread ended with code 1'])
  },
)

test('ends a thread that hangs, and restarts it at once, however early', async () => {
  const api = open({ cpuLimit: 200, settleTime: 1_000_000 })
  const first = await api.id()
  for (const call of await Promise.allSettled([api.spin(), api.double(1)])) {
    expect(call).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable', retryAfter: 1 } })
  }
  expect(await api.id()).not.toBe(first)
  expect(reports).toEqual(['the thread served-thread did not respond and was ended'])
})

test('closes and ends an idle thread, and starts another with the next call', async () => {
  const closed: unknown[] = []
  const api = open({ idleTimeout: 100, serves: { closed: async (id: number) => closed.push(id) } })
  const first = await api.id()
  await expect.poll(() => closed).toEqual([first])
  expect(await api.id()).not.toBe(first)
  expect(reports).toEqual([])
})

test('does not end a thread during a call', async () => {
  const api = open({ idleTimeout: 10 })
  const first = api.id()
  await api.wait(300)
  expect(await api.id()).toBe(await first)
})

test('does not restart a dead idle thread before the next call', async () => {
  const starts: number[] = []
  const api = open({ idleTimeout: 1_000_000, begin: async (api) => void starts.push(await api.id()) })
  const first = await api.id()
  await api.leaveLater()
  await expect.poll(() => reports).toEqual(['the thread served-thread ended with code 3'])
  expect(starts).toEqual([first])
  expect(await api.double(1)).toBe(2)
})

test('closes without waiting for a thread that waits for its server', async () => {
  const waiting = Promise.withResolvers<void>()
  open({ workerData: { factor: 'later' }, log: { info: () => waiting.resolve(), warn() {} } })
  const started = thread.start()
  await waiting.promise
  await thread.close()
  await expect(started).rejects.toThrow('ended with code 1')
  expect(reports).toEqual([])
})

test('stays closed', async () => {
  const api = open()
  await api.double(1)
  await thread.close()
  await expect(api.double(1)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(reports).toEqual([])
})
