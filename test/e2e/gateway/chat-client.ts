// A chat client over a stock WebSocket that returns frames one by one, in order.
import { WebSocket } from 'undici'

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of frames
export type Frame = any

export interface ChatClient {
  /** All received frames, oldest first. */
  frames: Frame[]
  /** Sends an object as JSON and a string unchanged. */
  send(message: unknown): void
  /** The next unread frame. Rejects if the socket closes first. */
  next(): Promise<Frame>
  /** All unread frames up to the next one with `isPartial: false`. */
  turn(): Promise<Frame[]>
  /** Sends a message and returns the last frame of the turn. */
  ask(message: unknown): Promise<Frame>
  closed: Promise<{ code: number; reason: string }>
  close(): void
}

/** Resolves when the socket is open. Rejects if it is refused. */
export function openChat(url: string, headers: Record<string, string> = {}): Promise<ChatClient> {
  const socket = new WebSocket(url, { headers })
  const frames: Frame[] = []
  let taken = 0
  let wake = Promise.withResolvers<void>()
  let closedBy: string | null = null
  const tell = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  socket.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(data))
    tell()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => {
      closedBy = `${code} ${reason}`
      tell()
      resolve({ code, reason })
    })
  })

  const client: ChatClient = {
    frames,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next() {
      while (taken === frames.length) {
        if (closedBy !== null) throw new Error(`the socket is closed: ${closedBy}`)
        await wake.promise
      }
      return frames[taken++]
    },
    async turn() {
      const turn: Frame[] = []
      do turn.push(await client.next())
      while (turn.at(-1).isPartial !== false)
      return turn
    },
    async ask(message) {
      client.send(message)
      return (await client.turn()).at(-1)
    },
    closed,
    close: () => socket.close(),
  }
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(client))
    socket.addEventListener('error', () => reject(new Error(`${url} was refused`)))
  })
}

/** A message that negotiates progress. */
export function withProgress(message: string, requestId: string): Record<string, unknown> {
  return { message, requestId, capabilities: ['activity.v1'] }
}
