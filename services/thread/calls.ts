// Calls between a thread and its owner, in both directions. Errors keep their reason on the way.
import { DomainError, type FieldErrors, type Reason } from '../errors.ts'

/** Methods that a thread serves: arguments and results are cloned. `close` is called before the thread is ended. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments of any method
export type Served = Record<string, (...args: any[]) => Promise<unknown>>

export interface Call {
  id: number
  method: string
  args: unknown[]
}

export type Reply = { id: number; value: unknown } | { id: number; error: PlainError }

export interface PlainError {
  message: string
  reason: Reason | null
  fields: FieldErrors | null
  retryAfter: number | null
}

/** The thread has ended: what it was doing, and what it was asked for since, may not have been done. */
export class ThreadGone extends DomainError {
  /** Whether the call was the oldest under way: where a thread does one after the other, it ended amid this one. */
  readonly wasFirst: boolean

  constructor(cause: unknown, wasFirst = false) {
    super('unavailable', 'The work was interrupted; try again.', null, cause, 1)
    this.wasFirst = wasFirst
  }
}

/** Does a call with the method of that name. */
export async function serve(served: Served, { id, method, args }: Call): Promise<Reply> {
  try {
    return { id, value: await served[method]?.(...args) }
  } catch (error) {
    return { id, error: toPlain(error) }
  }
}

/** Calls under way, of one side to the other. */
export function createCalls() {
  const underWay = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  return {
    make(method: string, args: unknown[]): { call: Call; result: Promise<unknown> } {
      lastId += 1
      const made = Promise.withResolvers<unknown>()
      underWay.set(lastId, made)
      return { call: { id: lastId, method, args }, result: made.promise }
    },
    settle(reply: Reply) {
      const made = underWay.get(reply.id)
      underWay.delete(reply.id)
      if ('error' in reply) made?.reject(toError(reply.error))
      else made?.resolve(reply.value)
    },
    reject(cause: unknown) {
      for (const [at, made] of [...underWay.values()].entries()) made.reject(new ThreadGone(cause, at === 0))
      underWay.clear()
    },
  }
}

/** For the way between threads, on which classes are lost. */
export function toPlain(error: unknown): PlainError {
  if (error instanceof DomainError) {
    const { message, reason, fields, retryAfter } = error
    return { message, reason, fields, retryAfter }
  }
  return {
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    reason: null,
    fields: null,
    retryAfter: null,
  }
}

export function toError({ message, reason, fields, retryAfter }: PlainError): Error {
  return reason === null
    ? new Error(message)
    : new DomainError(reason, message, fields, undefined, retryAfter)
}
