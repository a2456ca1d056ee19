// A container of the compose file as a process: its output has its name before each line, its health check is that of the
// file, and it is restarted when it dies.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { nodeEnv } from '../../node-env.ts'
import { type ComposeService, toMilliseconds } from './compose-file.ts'
import { type Program, root } from './programs.ts'

export interface RunningContainer {
  name: string
  pid(): number
  /** The last thousand lines of its output, oldest first. */
  output: string[]
  /** Resolves when its health check succeeds; rejects if that takes longer than the file allows. */
  healthy(): Promise<void>
  isHealthy(): Promise<boolean>
  /** Kills it. It restarts when `start` is called or by itself, as with `restart: unless-stopped`. */
  kill(): Promise<void>
  /** Prevents restarts until `start`. */
  hold(): void
  start(): void
  /** Stops it gracefully and permanently. */
  stop(): Promise<void>
}

const restartAfterMs = 1_000
const keptLines = 1_000

export function runContainer(
  name: string,
  service: ComposeService,
  program: Program,
  print: (line: string) => void,
): RunningContainer {
  const output: string[] = []
  let child: ChildProcess
  /** The number of the latest start. */
  let number = 0
  let isHeld = false
  let isStopped = false

  function start() {
    isHeld = false
    number += 1
    const mine = number
    const env = { ...nodeEnv, HOME: process.env.HOME, ...program.env }
    child = spawn(program.binary, program.args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl C is for the stack, which stops the containers in order.
      detached: true,
    })
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (output.length > keptLines) output.shift()
        if (!program.noise?.test(line)) print(`${name}  ${line}`)
      })
    }
    child.on('error', (error) => print(`${name}  ${error.message}`))
    child.on('exit', async (code, signal) => {
      if (isStopped) return
      print(`${name}  ended (${signal ?? code})`)
      if (service.restart !== 'unless-stopped') return
      await delay(restartAfterMs)
      // It may have been started in the meantime.
      if (!isHeld && !isStopped && number === mine) start()
    })
  }

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  async function end(signal: NodeJS.Signals) {
    if (hasEnded()) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }

  async function isHealthy(): Promise<boolean> {
    if (hasEnded()) return false
    if (program.answers) return program.answers().catch(() => false)
    const [, command, ...args] = service.healthcheck!.test
    const binary = command === 'node' ? process.execPath : command!
    const timeout = toMilliseconds(service.healthcheck!.timeout)
    const env = { ...nodeEnv, ...program.env }
    return new Promise((resolve) => {
      execFile(binary, args, { cwd: root, env, timeout }, (error) => resolve(error === null))
    })
  }

  // When this process ends, its containers end.
  process.on('exit', () => child.kill('SIGKILL'))
  start()
  return {
    name,
    pid: () => child.pid!,
    output,
    isHealthy,
    async healthy() {
      const { start_period: grace, interval, retries } = service.healthcheck!
      const deadline = Date.now() + toMilliseconds(grace) + retries * toMilliseconds(interval)
      while (!(await isHealthy())) {
        if (Date.now() > deadline) throw new Error(`${name} is not healthy:\n${output.slice(-20).join('\n')}`)
        await delay(1_000)
      }
    },
    kill: () => end('SIGKILL'),
    hold() {
      isHeld = true
    },
    start,
    async stop() {
      isStopped = true
      const tooLate = setTimeout(
        () => child.kill('SIGKILL'),
        toMilliseconds(service.stop_grace_period ?? '10s'),
      )
      await end('SIGTERM')
      clearTimeout(tooLate)
    },
  }
}
