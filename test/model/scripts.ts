// Scripts for the scripted provider: successful answers, and every kind of fault.
import type { End } from './dialect.ts'
import type { ProviderCall } from './provider-call.ts'

/** Plays an answer to one request; returning without an end leaves the request open. */
export type Script = (call: ProviderCall) => void | Promise<void>

/** Splits into words and keeps spaces: `a b` → `a`, ` b`. */
export function toTokens(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

/** A complete answer, word by word. */
export function answers(text: string, reason: End = 'stop'): Script {
  return async (call) => {
    for (const token of toTokens(text)) await call.token(token)
    await call.end(reason)
  }
}

/** An answer that the provider's length limit cuts. */
export function cutByLength(text: string): Script {
  return answers(text, 'length')
}

/** 401, 403, 404, 429, 500, 503 … before any text. */
export function fails(status: number, headers?: Record<string, string>): Script {
  return (call) => call.status(status, headers)
}

/** Sends nothing, not even a status. */
export const hangs: Script = () => {}

/** Sends this text and nothing more. */
export function hangsAfter(text: string): Script {
  return async (call) => {
    call.open()
    for (const token of toTokens(text)) await call.token(token)
  }
}

/** Ends the stream without a reason, as if the provider had crashed. */
export function endsWithoutReason(text: string): Script {
  return async (call) => {
    await hangsAfter(text)(call)
    call.hangUp()
  }
}

/** Sends an invalid event: truncated JSON. */
export function breaks(text: string): Script {
  return async (call) => {
    await hangsAfter(text)(call)
    await call.raw(call.dialect.token('lost').replace(/.{9}\n\n$/, '\n\n'))
    await call.end()
  }
}

/** Sends an error event of the provider in mid-stream. */
export function errs(text: string): Script {
  return async (call) => {
    await hangsAfter(text)(call)
    await call.error()
    call.hangUp()
  }
}

/** Closes the connection in the middle of the answer. */
export function breaksOff(text: string): Script {
  return async (call) => {
    await hangsAfter(text)(call)
    call.drop()
  }
}

/** Resets the connection before any answer. */
export const resets: Script = (call) => call.reset()

/** One token with this number of characters. */
export function hugeToken(characters: number): Script {
  return async (call) => {
    await call.token('x'.repeat(characters))
    await call.end()
  }
}

/** Every script without a complete answer, by name: those with a draft send `The draft` first. */
export const faults: Record<string, Script> = {
  'refuses with 401': fails(401),
  'refuses with 403': fails(403),
  'refuses with 404': fails(404),
  'throttles with 429': fails(429, { 'retry-after': '7' }),
  'fails with 500': fails(500),
  'fails with 503': fails(503),
  'hangs before the first word': hangs,
  'hangs in mid-stream': hangsAfter('The draft'),
  'sends a broken event': breaks('The draft'),
  'sends an error event': errs('The draft'),
  'ends without a reason': endsWithoutReason('The draft'),
  'resets the connection before the first word': resets,
  'drops the connection in mid-stream': breaksOff('The draft'),
}
