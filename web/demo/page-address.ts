// The page's address has the project, the server and the query, so that it can be shared and the back
// button works.

/** Milliseconds without typing after which further typing creates a new history entry. */
const pause = 1_500

/** `server` has a trailing slash. The page may be below a path prefix. */
export function readPlace({ pathname, origin }: Pick<Location, 'pathname' | 'origin'>) {
  const [prefix = '', rest = ''] = pathname.split('/demo/')
  const [slug = ''] = rest.split('/')
  return { slug: decodeURIComponent(slug), server: `${origin}${prefix}/` }
}

export interface Question {
  query: string
  filter: string
}

export function readQuestion({ search }: Pick<Location, 'search'>): Question {
  const parameters = new URLSearchParams(search)
  return { query: parameters.get('q') ?? '', filter: parameters.get('filter') ?? '' }
}

interface AddressWriterOptions {
  location: Pick<Location, 'href' | 'search'>
  history: Pick<History, 'pushState' | 'replaceState'>
  now(): number
}

export function createAddressWriter({ location, history, now }: AddressWriterOptions) {
  let lastTyped = 0

  return function write({ query, filter }: Question) {
    const before = readQuestion(location)
    if (before.query === query && before.filter === filter) return
    const address = new URL(location.href)
    setOrDelete(address.searchParams, 'q', query)
    setOrDelete(address.searchParams, 'filter', filter)
    const isTyping = before.filter === filter && (now() - lastTyped < pause || before.query === '')
    lastTyped = now()
    if (isTyping) history.replaceState(null, '', address)
    else history.pushState(null, '', address)
  }
}

function setOrDelete(parameters: URLSearchParams, name: string, value: string) {
  if (value) parameters.set(name, value)
  else parameters.delete(name)
}
