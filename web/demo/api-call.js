// One call of the project's REST API (REST v2). Every failure is an ApiFailure of a known kind.

/** Kinds by HTTP status; every other status from 400 on is `server`. */
const kinds = {
  400: 'invalid',
  401: 'key',
  403: 'permission',
  404: 'unknown',
  429: 'busy',
  503: 'away',
}

export class ApiFailure extends Error {
  /** `kind`: one of the kinds above, `server`, or `offline` where no answer came. */
  constructor(kind, sentence, retryAfter = null) {
    super(sentence)
    this.kind = kind
    /** Seconds to wait, where the server said so. */
    this.retryAfter = retryAfter
  }
}

/**
 * `base`: address of the project in the API, ending in `/`. `readKey` gives the reader's API key or null. Answers
 * `call(path, {method, headers, body, signal, keepalive})`: the JSON of the answer. An abort is thrown as it is.
 */
export function createApiCall({ base, readKey, fetch }) {
  return async function call(path, { headers = {}, body, signal, ...rest } = {}) {
    const key = readKey()
    let response
    try {
      response = await fetch(new URL(path, base), {
        ...rest,
        signal,
        headers: {
          ...headers,
          ...(key && { authorization: `Api-Key ${key}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw new ApiFailure('offline', 'No answer came from the server.')
    }
    if (!response.ok) throw await toFailure(response)
    return response.json()
  }
}

async function toFailure(response) {
  const body = await response.json().catch(() => null)
  const sentence = typeof body?.error === 'string' ? body.error : `The server answered ${response.status}.`
  const seconds = Number(response.headers.get('retry-after'))
  return new ApiFailure(kinds[response.status] ?? 'server', sentence, seconds > 0 ? seconds : null)
}
