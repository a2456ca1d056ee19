// One request and its answer, over a pool of kept connections: no redirects, no repetition, limits on size and time.

import pTimeout from 'p-timeout'
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
  method?: 'GET' | 'POST'
  body?: Uint8Array
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
export async function exchange(agent: Agent, request: Exchange): Promise<Answer> {
  const { url, method = 'GET', body: sent = null, headers, maxBytes, timeoutMs, signal, wantsBody } = request
  signal?.throwIfAborted()
  const ending = new AbortController()
  const leave = () => ending.abort(signal?.reason)
  const timer = setTimeout(() => ending.abort(new OutOfTime()), timeoutMs)
  signal?.addEventListener('abort', leave, { once: true })
  let answered = false
  try {
    const response = agent.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method, headers, body: sent },
      ...{ headersTimeout: 0, bodyTimeout: 0, signal: ending.signal },
    })
    // While it connects, undici does not hear its signal.
    const { statusCode, body, ...head } = await pTimeout(response, {
      milliseconds: Number.POSITIVE_INFINITY,
      signal: ending.signal,
    })
    answered = true
    const answer = { status: statusCode, headers: head.headers, body: noBytes }
    if (wantsBody(statusCode, head.headers))
      return { ...answer, body: await readWhole(body, maxBytes, head.headers) }
    body.dump({ limit: maxDrainedBytes, signal: AbortSignal.timeout(timeoutMs) }).catch(() => {})
    return answer
  } catch (error) {
    signal?.throwIfAborted()
    throw new BrokenExchange(answered, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

/** In memory of its own, so that it can be handed to another thread. Throws TooLarge. */
async function readWhole(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  headers: Answer['headers'],
): Promise<Uint8Array> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy()
    throw new TooLarge()
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw new TooLarge()
    chunks.push(chunk)
  }
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) at += chunk.copy(whole, at)
  return whole
}
