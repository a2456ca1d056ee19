// The page's address: which project and server it belongs to, and the query, so that it can be shared and the back
// button works.

/** A pause of so many milliseconds ends a query: what is typed after it is a new entry of the history. */
const pause = 1_500

/** `server` ends in a slash; the page may lie below a path prefix. */
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
