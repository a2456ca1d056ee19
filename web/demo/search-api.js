// The REST calls of the search (REST v2: project, search, click).

/** `call`: see api-call.js. */
export function createSearchApi({ call }) {
  return {
    project: (signal) => call('', { signal }),

    async search({ query, filter }, signal) {
      const asked = new URLSearchParams({ q: query, limit: '30', ...(filter && { filter_title: filter }) })
      return (await call(`search/?${asked}`, { signal })).results
    },

    /** Nobody waits for it; it outlives the page. */
    reportClick(click) {
      call('search/click/', { method: 'POST', keepalive: true, body: click }).catch(() => {})
    },
  }
}
