// A third-party server as a child process on loopback that can be stopped, killed and restarted on its data.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'

export interface ServerProcess {
  /** Stops it gracefully, and keeps its data. */
  stop(): Promise<void>
  /** Kills it. */
  kill(): Promise<void>
  /** Starts it again on the same ports and data, unless it runs; resolves when it answers. */
  start(): Promise<void>
  /** Suspends it (SIGSTOP), so that it hangs; resolves when all of its threads are stopped. */
  pause(): Promise<void>
  /** Resumes it (SIGCONT). */
  resume(): void
}

interface ServerOptions {
  binary: string
  args: string[]
  env?: Record<string, string>
  /** Whether it answers. May throw while it does not. */
  answers(): Promise<boolean>
}

const startTimeoutMs = 280_000
const askEvery = 50
const keptOutput = 4_000

/** Starts a server; rejects with its output if it ends or does not answer. */
export async function openServer({ binary, args, env, answers }: ServerOptions): Promise<ServerProcess> {
  let child: ChildProcess
  let printed = ''
  let isStarted = false

  async function start() {
    if (isStarted) return
    isStarted = true
    child = spawn(binary, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } })
    const keep = (chunk: Buffer) => {
      printed = (printed + chunk).slice(-keptOutput)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.on('error', (error) => keep(Buffer.from(error.message)))
    const deadline = Date.now() + startTimeoutMs
    while (!(await answers().catch(() => false))) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null || child.pid === undefined
      if (hasEnded || Date.now() > deadline) throw new Error(`${binary} does not answer: ${printed}`)
      await after(askEvery)
    }
  }

  async function end(signal: NodeJS.Signals) {
    isStarted = false
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await exit
  }

  // A test run that ends early leaves no server running.
  process.on('exit', () => child.kill('SIGKILL'))
  await start()
  return {
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async pause() {
      child.kill('SIGSTOP')
      while (!isStopped(child.pid!)) await after(5)
    },
    resume: () => void child.kill('SIGCONT'),
  }
}

/** Whether all threads are stopped, from proc(5): the state follows the name, which may contain spaces. Always true except on Linux. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  const states = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/stat`, 'utf8'))
  return states.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'))
}

/** Free ports. All are held at once, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = await Promise.all(Array.from({ length: count }, hold))
  const ports = holders.map((holder) => (holder.address() as { port: number }).port)
  await Promise.all(holders.map((holder) => new Promise((done) => holder.close(done))))
  return ports
}

/** Below the ephemeral range of the system, so that nobody else takes a port before its server does. */
const portRange = { min: 20_000, max: 32_000 }
/**
 * Parts of the range: one for each worker of vitest, because ports are found long before a server listens on them, and for
 * each concurrent run of vitest in `npm run mutate`.
 */
const parts = 16
const { VITEST_POOL_ID = 0, LECTERN_MUTATE_LANE = 0 } = process.env
const part = (Number(VITEST_POOL_ID) + 4 * Number(LECTERN_MUTATE_LANE)) % parts
const size = (portRange.max - portRange.min) / parts
const first = portRange.min + part * size
/** Ports that this process has used and does not reuse. */
const given = new Set<number>()

async function hold(): Promise<Server> {
  if (given.size > size / 2) given.clear()
  for (;;) {
    const port = randomInt(first, first + size)
    if (given.has(port)) continue
    given.add(port)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
