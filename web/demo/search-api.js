// The REST calls of the search (REST v2: project, search, click).

const retryMs = 1_000
/** Of a result; what the page shows of it. */
const fields = 'title,page_title,url,fragment,content,source_type'

/** `call`: see api-call.js. */
export function createSearchApi({ call }) {
  return {
    project: (signal) => call('', { signal }),

    /** Tries once more where the search is unavailable. */
    async search({ query, filter, limit }, signal) {
      const asked = new URLSearchParams({
        ...{ q: query, limit, content_scope: 'all', fields },
        ...(filter && { filter_title: filter }),
      })
      const search = () => call(`search/?${asked}`, { signal })
      const { results } = await search().catch(async (failure) => {
        if (failure.kind !== 'away') throw failure
        await new Promise((resolve) => setTimeout(resolve, retryMs))
        return search()
      })
      return results
    },

    /** Nobody waits for it; it outlives the page. */
    reportClick(click) {
      call('search/click/', { method: 'POST', keepalive: true, body: click }).catch(() => {})
    },
  }
}
