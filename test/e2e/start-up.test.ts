// Starting and stopping a real process: one line per configuration error, one Lectern per port and data folder.
import { execFile } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder } from '../folder.ts'
import { nodeEnv } from '../node-env.ts'
import { type LecternProcess, spawnLectern, startLectern } from './lectern-process.ts'

const folder = createFolder()
let running: LecternProcess

beforeAll(async () => {
  await writeFile(join(folder, 'a-file'), 'x')
  running = await startLectern({ crawlsManual: true })
})

afterAll(() => running.remove())

interface Ended {
  code: unknown
  lines: string[]
}

/** Starts Lectern with an invalid configuration. Returns its exit code and output. */
function failedStart(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const defaults = {
    ...nodeEnv,
    LECTERN_DATA: join(folder, 'data'),
    LECTERN_HTTP: '127.0.0.1:0',
    LECTERN_GRPC: '127.0.0.1:0',
    LECTERN_EMBEDDINGS: 'off',
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'app/main.ts', ...args],
      { cwd: new URL('../../', import.meta.url), env: { ...defaults, ...env } },
      (error, out, err) => resolve({ code: error?.code ?? 0, lines: `${out}${err}`.trim().split('\n') }),
    )
  })
}

const badStarts: [what: string, env: () => Record<string, string>, line: RegExp, ...args: string[]][] = [
  ['a bad variable', () => ({ LECTERN_HTTP: '8080' }), /^LECTERN_HTTP: got "8080", takes host:port/],
  [
    'a REST port in use',
    () => ({ LECTERN_HTTP: portOf(running.baseUrl) }),
    /cannot listen on 127\.0\.0\.1:\d+/,
  ],
  ['a gRPC port in use', () => ({ LECTERN_GRPC: running.grpc }), /cannot listen on 127\.0\.0\.1:\d+/],
  [
    'a data folder in use',
    () => ({ LECTERN_DATA: running.data }),
    /^LECTERN_DATA: .*another Lectern runs on it/,
  ],
  [
    'a file as data folder',
    () => ({ LECTERN_DATA: join(folder, 'a-file') }),
    /^LECTERN_DATA: got ".*", takes a folder/,
  ],
  [
    'a data folder that cannot be written',
    () => ({ LECTERN_DATA: '/sys' }),
    /^LECTERN_DATA: got ".*", takes a folder that can be written/,
  ],
  [
    'an address of MongoDB that cannot be read',
    () => ({
      LECTERN_MONGODB_URL: 'mongodb://ann:hun@ter2@db/lectern',
      LECTERN_ADMIN_KEY: 'an-admin-key-for-tests',
      LECTERN_SECRET: Buffer.alloc(32, 1).toString('base64'),
    }),
    /^LECTERN_MONGODB_URL: The MongoDB address takes the form mongodb:\/\/name:password@host:port\/database\?options, .* percent-encoded\.$/,
  ],
  [
    'an argument that is no address',
    () => ({}),
    /^npm start takes one http or https address.*not-a-url/,
    'not-a-url',
  ],
  [
    'an address for a gateway',
    () => ({
      LECTERN_ROLE: 'gateway',
      LECTERN_CORE_URL: 'http://127.0.0.1:1',
      LECTERN_SECRET: Buffer.alloc(32).toString('base64'),
    }),
    /^LECTERN_ROLE: got "gateway", takes all/,
    'https://docs.example.org/',
  ],
]

test.each(badStarts)('%s stops the start with one line', async (_, env, line, ...args) => {
  const { code, lines } = await failedStart(env(), ...args)
  expect(lines).toEqual([expect.stringMatching(line)])
  expect(code).toBe(1)
})

test('a running Lectern is not disturbed by others that fail to start', async () => {
  const { status, body } = await running.call('GET', '/readyz')
  expect([status, body]).toEqual([200, expect.anything()])
})

test('files are readable only by their owner', async () => {
  const keptNow = () => readdir(running.data, { recursive: true })
  await expect.poll(keptNow).toEqual(expect.arrayContaining(['lectern.db', 'chats.db', 'secret', 'index']))
  expect(await openToOthers(running.data, await keptNow())).toEqual([])
})

/** The files that group or others may read, write or enter. */
async function openToOthers(data: string, names: string[]): Promise<string[]> {
  const modes = await Promise.all(
    names.map((name) =>
      stat(join(data, name)).then(
        ({ mode }) => mode,
        () => 0,
      ),
    ),
  )
  return names.filter((_, at) => modes[at]! & 0o077)
}

test('is ready only once it answers', async () => {
  const started = await spawnLectern()
  const status = (path: string) =>
    started.call('GET', path).then(
      (answer) => answer.status,
      () => null,
    )
  try {
    await expect.poll(() => status('/readyz'), { interval: 20 }).toBe(200)
    expect(await status('/api/v2/projects/')).toBe(200)
    await started.ready
  } finally {
    await started.remove()
  }
})

function portOf(address: string): string {
  return new URL(address).host
}
