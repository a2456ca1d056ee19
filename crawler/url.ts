// The normalised address of a page: in a project, one address is one page.

/** Longest address that is kept, in characters. */
export const maxUrlLength = 2_000

/** Parameters that say who came from where, and never which page it is. */
const trackingParameter = /^(?:utm_.*|gclid|fbclid|jsessionid|phpsessid|sid)$/i
const sessionInPath = /;jsessionid=[^/;]*/gi

/**
 * The one spelling of an address: absolute, http or https, without fragment, credentials, default port, tracking
 * parameters and session ids. Applying it again changes nothing. Null for anything else, and for what is longer than
 * 2,000 characters.
 */
export function normalizeUrl(raw: string, base?: string): string | null {
  const url = URL.parse(raw, base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.hostname === '') return null
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (url.hash !== '' || url.href.endsWith('#')) url.hash = ''
  if (url.pathname.includes(';')) url.pathname = url.pathname.replace(sessionInPath, '')
  if (url.search !== '') url.search = withoutTracking(url.search)
  else if (url.href.endsWith('?')) url.search = ''
  return url.href.length <= maxUrlLength ? url.href : null
}

/** The others keep their order and spelling: a server may distinguish `a` from `a=` and `+` from `%20`. */
function withoutTracking(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => !trackingParameter.test(pair.split('=', 1)[0] as string))
    .join('&')
  // The question mark keeps a query that begins with another one whole.
  return kept === '' ? '' : `?${kept}`
}
