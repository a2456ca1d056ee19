// One request and its answer, over a pool of kept connections: no redirects, no repetition, limits on size and time.
import type { Agent, Dispatcher } from 'undici'
import { TooLarge } from './content-coding.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** As it was sent, still encoded; empty where `wantsBody` said no. */
  body: Uint8Array
}

export interface Exchange {
  url: URL
  /** Names and values in turn. */
  headers: string[]
  maxBytes: number
  /** For the whole of it, connecting included. */
  timeoutMs: number
  signal: AbortSignal | undefined
  /** Asked once the head is there. A body that is not wanted is not waited for. */
  wantsBody(status: number, headers: Answer['headers']): boolean
}

/** It took longer than it may. */
export class OutOfTime extends Error {}

/** Whether an answer had begun when it went wrong; the cause tells what happened. */
export class BrokenExchange extends Error {
  readonly answered: boolean

  constructor(answered: boolean, cause: unknown) {
    super('the exchange broke off', { cause })
    this.answered = answered
  }
}

const noBytes = new Uint8Array(0)

/** So much of a body that is not wanted is read all the same: a connection that is cut costs more. */
const maxDrainedBytes = 64 * 1024

/**
 * Rejects with BrokenExchange, and with the signal's reason as soon as it aborts. Where the body is not wanted the answer
 * is given at once, and the rest of it drained so that the connection can be used again.
 */
export function exchange(agent: Agent, request: Exchange): Promise<Answer> {
  const { url, headers, maxBytes, timeoutMs, signal, wantsBody } = request
  return new Promise((done, fail) => {
    if (signal?.aborted) return fail(signal.reason)
    let controller: Dispatcher.DispatchController | null = null
    let answer: Answer | null = null
    let chunks: Buffer[] = []
    let length = 0
    let isSettled = false
    let isDraining = false

    function settle(tell: () => void) {
      if (isSettled) return
      isSettled = true
      signal?.removeEventListener('abort', stop)
      tell()
    }
    function finish(cut?: Error) {
      clearTimeout(timer)
      chunks = []
      if (cut) controller?.abort(cut)
    }
    function breakOff(cause: Error) {
      settle(() => fail(new BrokenExchange(answer !== null, cause)))
      finish(cause)
    }
    function stop() {
      settle(() => fail(signal?.reason))
      finish(new OutOfTime())
    }

    const timer = setTimeout(() => breakOff(new OutOfTime()), timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (isSettled) started.abort(new OutOfTime())
      },
      onResponseStart(_controller, status, received) {
        if (isSettled || status < 200) return
        const head = { status, headers: received, body: noBytes }
        answer = head
        const announced = Number(received['content-length'] ?? 0)
        isDraining = !wantsBody(status, received)
        if (isDraining) settle(() => done(head))
        if (announced > (isDraining ? maxDrainedBytes : maxBytes)) breakOff(new TooLarge())
      },
      onResponseData(_controller, chunk) {
        length += chunk.length
        if (length > (isDraining ? maxDrainedBytes : maxBytes)) return breakOff(new TooLarge())
        if (!isDraining) chunks.push(chunk)
      },
      onResponseEnd() {
        const whole = answer && { ...answer, body: isDraining ? noBytes : joined(chunks, length) }
        if (whole) settle(() => done(whole))
        finish()
      },
      onResponseError(_controller, error) {
        breakOff(error)
      },
    }
    try {
      agent.dispatch(
        {
          ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET', headers },
          ...{ headersTimeout: 0, bodyTimeout: 0 },
        },
        handler,
      )
    } catch (error) {
      breakOff(error as Error)
    }
  })
}

/** Memory of its own, so that it can be handed to another thread. */
function joined(chunks: Buffer[], length: number): Uint8Array {
  if (length === 0) return noBytes
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
