// What a failure at a provider means to the port, and what of it the log may show.
import { ModelError, type ModelFault } from './model.ts'

/** Statuses that do not mean what their hundred means: see `toFault`. */
const faults: Record<number, ModelFault> = { 408: 'unavailable', 425: 'unavailable', 429: 'rate_limited' }

/** What the error of a provider's client tells; both clients name these alike. */
interface ClientError {
  status?: number | undefined
  /** The code in the body: some servers answer 200 and tell the status in an error event. */
  code?: unknown
}

/**
 * `begun`: whether the answer's headers had come, so that a lost connection broke it off. `key` is never in the cause.
 */
export function toModelError(error: unknown, begun: boolean, key: string | null): ModelError {
  if (error instanceof ModelError) return error
  return new ModelError(toFault(error as ClientError, begun), toCause(error, key))
}

/** What an event tells that stands for an error: providers put a message into it, and some a code. */
export function toEventError(told: unknown): Error {
  const { message, code } = Object(told) as { message?: unknown; code?: unknown }
  return Object.assign(new Error(String(message ?? JSON.stringify(told))), { code })
}

/** Redirects and every 4xx of no meaning of its own: asking again gets the same answer. */
function toFault({ status, code }: ClientError, begun: boolean): ModelFault {
  const told = status ?? Number(code)
  if (told >= 300 && told < 600) return faults[told] ?? (told < 500 ? 'refused' : 'unavailable')
  return begun ? 'broken' : 'unavailable'
}

/** The messages of the error and its causes in one line, without the key, which some providers put into them. */
function toCause(error: unknown, key: string | null): Error {
  const messages: string[] = []
  for (let each = error; each instanceof Error && messages.length < 5; each = each.cause) {
    messages.push(`${each.constructor.name}: ${each.message}`)
  }
  const line = messages.join(' ← ').replace(/\s+/g, ' ')
  return new Error((key ? line.replaceAll(key, '[key]') : line).slice(0, 1000))
}
