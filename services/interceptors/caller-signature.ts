// How the gateway tells the core who calls (decisions.md section 1): metadata `lectern-caller`, JSON in base64url, a
// dot, and its HMAC-SHA256 under a key derived from LECTERN_SECRET. Without a good signature it counts as not sent.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Origin } from '../context.ts'

export const callerHeader = 'lectern-caller'

/** How old a signature may be, either way: clocks of two machines differ a little. */
const maxAgeMs = 5 * 60_000

/** Signs what the gateway says; `secret` is LECTERN_SECRET in base64. The answer is the header's value. */
export function createCallerSigner(secret: string, now: () => Date): (origin: Origin) => string {
  const key = deriveKey(secret)
  return (origin) => {
    const text = Buffer.from(JSON.stringify({ ...origin, at: now().getTime() })).toString('base64url')
    return `${text}.${sign(key, text).toString('base64url')}`
  }
}

/** Reads the header's value; null where it is missing, forged or old. */
export function createCallerReader(secret: string, now: () => Date): (value: string | null) => Origin | null {
  const key = deriveKey(secret)
  return (value) => {
    const [text, signature, ...rest] = value?.split('.') ?? []
    if (!text || !signature || rest.length > 0) return null
    const given = Buffer.from(signature, 'base64url')
    const right = sign(key, text)
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null
    const { at, ...origin } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Origin & { at: number }
    return Math.abs(now().getTime() - at) <= maxAgeMs ? origin : null
  }
}

function deriveKey(secret: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(callerHeader).digest()
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
