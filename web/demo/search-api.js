// The REST calls of the page (REST v2: project, search, click). Every failure is a SearchFailure of a known kind.

/** Kinds by HTTP status; every other status from 400 on is `server`. */
const kinds = {
  400: 'invalid',
  401: 'key',
  403: 'permission',
  404: 'unknown',
  429: 'busy',
  503: 'away',
}

export class SearchFailure extends Error {
  /** `kind`: one of the kinds above, `server`, or `offline` where no answer came. */
  constructor(kind, sentence, retryAfter = null) {
    super(sentence)
    this.kind = kind
    /** Seconds to wait, where the server said so. */
    this.retryAfter = retryAfter
  }
}

/** `base`: address of the project in the API, ending in `/`. `readKey` gives the reader's API key or null. */
export function createSearchApi({ base, readKey, fetch }) {
  function headers() {
    const key = readKey()
    return key ? { authorization: `Api-Key ${key}` } : {}
  }

  async function get(address, signal) {
    let response
    try {
      response = await fetch(address, { headers: headers(), signal })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw new SearchFailure('offline', 'No answer came from the server.')
    }
    if (!response.ok) throw await toFailure(response)
    return response.json()
  }

  return {
    project: (signal) => get(base, signal),

    async search({ query, filter }, signal) {
      const address = new URL('search/', base)
      address.searchParams.set('q', query)
      address.searchParams.set('limit', '30')
      if (filter) address.searchParams.set('filter_title', filter)
      return (await get(address, signal)).results
    },

    /** Nobody waits for it; it outlives the page. */
    reportClick(click) {
      fetch(new URL('search/click/', base), {
        method: 'POST',
        keepalive: true,
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify(click),
      }).catch(() => {})
    },
  }
}

async function toFailure(response) {
  const body = await response.json().catch(() => null)
  const sentence = typeof body?.error === 'string' ? body.error : `The server answered ${response.status}.`
  const seconds = Number(response.headers.get('retry-after'))
  return new SearchFailure(kinds[response.status] ?? 'server', sentence, seconds > 0 ? seconds : null)
}
