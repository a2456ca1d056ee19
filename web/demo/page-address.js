// The query in the page's address, so that it can be shared and the back button works.

/** A pause of so many milliseconds ends a query: what is typed after it is a new entry of the history. */
const pause = 1_500

export function slugOf(location) {
  const [, slug = ''] = /\/demo\/([^/]+)/.exec(location.pathname) ?? []
  return decodeURIComponent(slug)
}

/** Address of the project in the API that serves this page, also below a path prefix. */
export function apiBaseOf(location) {
  const [prefix] = location.pathname.split('/demo/')
  return new URL(`${prefix}/api/v2/projects/${encodeURIComponent(slugOf(location))}/`, location.origin)
}

/** Address of the project's chat socket, on the server that serves this page. */
export function socketAddressOf(location) {
  const [prefix] = location.pathname.split('/demo/')
  const address = new URL(`${prefix}/ws/messages/${encodeURIComponent(slugOf(location))}/`, location.origin)
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return address.href
}

export function readQuestion(location) {
  const parameters = new URLSearchParams(location.search)
  return { query: parameters.get('q') ?? '', filter: parameters.get('filter') ?? '' }
}

export function createAddressWriter({ location, history, now }) {
  let lastTyped = 0

  return function write({ query, filter }) {
    const before = readQuestion(location)
    if (before.query === query && before.filter === filter) return
    const address = new URL(location.href)
    setOrDelete(address.searchParams, 'q', query)
    setOrDelete(address.searchParams, 'filter', filter)
    const typingOn = before.filter === filter && (now() - lastTyped < pause || before.query === '')
    lastTyped = now()
    if (typingOn) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
  }
}

function setOrDelete(parameters, name, value) {
  if (value) parameters.set(name, value)
  else parameters.delete(name)
}
