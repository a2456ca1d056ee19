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

/** Rejects with BrokenExchange, and with the signal's reason as soon as it aborts. */
export function exchange(agent: Agent, request: Exchange): Promise<Answer> {
  const { url, headers, maxBytes, timeoutMs, signal, wantsBody } = request
  return new Promise((done, fail) => {
    let controller: Dispatcher.DispatchController | null = null
    let answer: Answer | null = null
    let chunks: Buffer[] = []
    let length = 0
    let isOver = false

    /** Settles once; whatever undici still does with the request is cut off. */
    function end(settle: () => void, cut?: Error) {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      chunks = []
      settle()
      if (cut) controller?.abort(cut)
    }
    function breakOff(cause: Error) {
      end(() => fail(new BrokenExchange(answer !== null, cause)), cause)
    }
    function stop() {
      end(() => fail(signal?.reason), new OutOfTime())
    }

    if (signal?.aborted) return fail(signal.reason)
    const timer = setTimeout(() => breakOff(new OutOfTime()), timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (isOver) started.abort(new OutOfTime())
      },
      onResponseStart(_controller, status, received) {
        if (isOver || status < 200) return
        answer = { status, headers: received, body: noBytes }
        if (Number(received['content-length']) > maxBytes) return breakOff(new TooLarge())
        const whole = answer
        if (!wantsBody(status, received)) end(() => done(whole), new OutOfTime())
      },
      onResponseData(_controller, chunk) {
        if (isOver) return
        length += chunk.length
        if (length > maxBytes) return breakOff(new TooLarge())
        chunks.push(chunk)
      },
      onResponseEnd() {
        if (answer === null) return
        const whole = { ...answer, body: joined(chunks, length) }
        end(() => done(whole))
      },
      onResponseError(_controller, error) {
        breakOff(error)
      },
    }
    try {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'GET',
          headers,
          headersTimeout: 0,
          bodyTimeout: 0,
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
