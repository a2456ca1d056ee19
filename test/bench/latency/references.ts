// The engines that search latency is measured against, each in a process of its own, so that they can be built side by
// side and beside Lectern's crawl.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Keystrokes, Times } from './keystrokes.ts'
import type { Reference } from './reference-process.ts'

export interface LatencyEngine {
  name: string
  /** Types it all, and answers the time that each keystroke took. */
  type(keystrokes: Keystrokes): Promise<Times>
  close(): Promise<void>
}

const entry = fileURLToPath(new URL('reference-process.ts', import.meta.url))

/** Resolves when the engine has indexed `size` sections of the corpus whose parts are in `file`. */
export async function openReference(name: Reference, file: string, size: number): Promise<LatencyEngine> {
  const child = fork(entry, [name, file, String(size)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=8192'],
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before its time`)
  })
  // Whoever waits for an answer hears of it.
  ended.catch(() => {})
  const answer = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  await answer()
  return {
    name,
    async type(keystrokes) {
      child.send(keystrokes)
      return answer()
    },
    async close() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
