// `npm start` runs Lectern: what ends npm ends Lectern, with all its processes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { accepts } from '../test/servers/ferretdb.ts'
import { freePorts } from '../test/servers/server-process.ts'

/** A process and its descendants, each with its id and start time, because ids are reused. */
async function treeOf(root: number): Promise<string[]> {
  const all = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readStat))
  const known = all.filter((found) => found !== null)
  const tree = known.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...known.filter(({ parent }) => parent === pid))
  return tree.map(({ pid, start }) => `${pid} ${start}`)
}

async function stillThere(processes: string[]): Promise<number[]> {
  const now = await Promise.all(processes.map((one) => readStat(one.split(' ')[0]!)))
  return now.flatMap((found) =>
    found && processes.includes(`${found.pid} ${found.start}`) ? [found.pid] : [],
  )
}

async function readStat(pid: string) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (stat === null) return null
  // The name is in brackets and may have any character. After it come the state, the parent … and as the 20th the start time.
  const [state, parent, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? null : { pid: Number(pid), parent: Number(parent), start: more[17]! }
}

/** What `npm start` prints before Lectern does. */
const npmLines = ['', '> lectern@0.1.0 start', '> exec bin/start', '']

const ends: [what: string, signal: NodeJS.Signals, toGroup: boolean][] = [
  ['SIGTERM for npm', 'SIGTERM', false],
  // As a terminal does. npm passes the signal on, so that it arrives twice.
  ['Ctrl C for all processes of npm start', 'SIGINT', true],
]

test.skipIf(process.platform !== 'linux').each(ends)(
  '%s ends Lectern in order',
  async (_, signal, toGroup) => {
    const data = await mkdtemp(join(tmpdir(), 'lectern-npm-'))
    const { PATH, HOME } = process.env
    const [port] = (await freePorts(1)) as [number]
    const npm = spawn('npm', ['start'], {
      cwd: new URL('../', import.meta.url),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: {
        PATH,
        HOME,
        LECTERN_DATA: data,
        LECTERN_HTTP: `127.0.0.1:${port}`,
        LECTERN_GRPC: '127.0.0.1:0',
        LECTERN_EMBEDDINGS: 'off',
      },
    })
    const lines: string[] = []
    let before: string[] = []
    const exited = once(npm, 'exit')
    try {
      const ready = Promise.withResolvers<void>()
      for (const stream of [npm.stdout, npm.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          lines.push(line)
          if (line.startsWith('Lectern is ready')) ready.resolve()
        })
      }
      exited.then(() => ready.reject(new Error(lines.join('\n'))))
      await ready.promise
      before = await treeOf(npm.pid!)
      expect(before.length).toBeGreaterThan(1)
      const first = lines.slice(0, lines.indexOf('Lectern is ready.'))
      // npm also warns of user settings that it does not know.
      expect(first.filter((line) => !line.startsWith('npm warn'))).toEqual(npmLines)
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/messages/manual/`)
      await once(socket, 'open')
      const closed = once(socket, 'close')

      process.kill(toGroup ? -npm.pid! : npm.pid!, signal)
      expect((await closed)[0].code).toBe(1001)
      expect(await exited).toEqual([0, null])
      expect(await accepts(port)).toBe(false)
      expect(await stillThere(before)).toEqual([])
    } finally {
      npm.kill('SIGKILL')
      for (const pid of await stillThere(before)) process.kill(pid, 'SIGKILL')
      await rm(data, { recursive: true, force: true })
    }
  },
)

test('the systemd unit of the manual runs the same program as npm start', async () => {
  const root = new URL('../', import.meta.url)
  const unit = await readFile(new URL('manual/operating.md', root), 'utf8')
  const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  const [, program] = /^ExecStart=\/opt\/lectern\/(\S+)$/m.exec(unit)!
  expect(`exec ${program}`).toBe(scripts.start)
  await access(new URL(program!, root), constants.X_OK)
})
