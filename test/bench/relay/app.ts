// A program of a benchmark in a separate process.
import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface App<Ready> {
  /** Its first message, when it was ready. */
  ready: Ready
  pid: number
  /** Sends a message, and returns the program's next message. */
  ask(message: string): Promise<unknown>
  close(): void
}

export async function openApp<Ready>(
  entry: string,
  args: (string | number)[] = [],
  flags: string[] = [],
): Promise<App<Ready>> {
  const child = fork(new URL(entry, import.meta.url), args.map(String), {
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
  })
  const [ready] = (await once(child, 'message')) as [Ready]
  return {
    ready,
    pid: child.pid!,
    async ask(message) {
      child.send(message)
      const [answer] = (await once(child, 'message')) as [unknown]
      return answer
    },
    close: () => void child.kill(),
  }
}

let addresses = 0

/** Headers of a client from a new address, so that no rate limit applies. */
export function fromNewAddress(): Record<string, string> {
  addresses++
  return { 'x-forwarded-for': `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` }
}

/** A message that negotiates progress. */
export function toMessage(message: string): string {
  return JSON.stringify({ message, requestId: 'relay', capabilities: ['activity.v1'] })
}
