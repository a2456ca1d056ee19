// How the gateway tells the core who calls: metadata `lectern-caller`, JSON in base64url, a dot, and its HMAC-SHA256
// under a key derived from LECTERN_SECRET. Without a good signature it counts as not sent.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Origin } from '../context.ts'

const callerHeader = 'lectern-caller'

/** How old a signature may be, either way: clocks of two machines differ a little. */
const maxAgeMs = 5 * 60_000
/** How long the same caller's signature is sent again: a socket's messages are signed and checked once. */
const reuseMs = 60_000
/** How many signatures are remembered to be good. */
const maxKnown = 1_000

interface Signed {
  at: number
  origin: Origin
}

/** Signs what the gateway says; `secret` is LECTERN_SECRET in base64. The answer is the header's value. */
export function createCallerSigner(secret: string, now: () => Date): (origin: Origin) => string {
  const key = deriveKey(secret)
  const sent = new WeakMap<Origin, { at: number; value: string }>()
  return (origin) => {
    const at = now().getTime()
    const before = sent.get(origin)
    if (before && at - before.at < reuseMs) return before.value
    const text = Buffer.from(JSON.stringify({ ...origin, at })).toString('base64url')
    const value = `${text}.${sign(key, text).toString('base64url')}`
    sent.set(origin, { at, value })
    return value
  }
}

/** Reads the header's value; null where it is missing, forged or old. */
export function createCallerVerifier(
  secret: string,
  now: () => Date,
): (value: string | null) => Origin | null {
  const key = deriveKey(secret)
  const known = new LRUCache<string, Signed>({ max: maxKnown })

  /** What is signed; null where the signature is missing or forged. */
  function check(value: string): Signed | null {
    const [text, signature, ...rest] = value.split('.')
    if (!text || !signature || rest.length > 0) return null
    const given = Buffer.from(signature, 'base64url')
    const right = sign(key, text)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    const { at, ...origin } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Origin & { at: number }
    return { at, origin }
  }

  return (value) => {
    if (value === null) return null
    const signed = known.get(value) ?? check(value)
    if (!signed || Math.abs(now().getTime() - signed.at) > maxAgeMs) return null
    known.set(value, signed)
    return signed.origin
  }
}

function deriveKey(secret: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(callerHeader).digest()
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
