// Normalizes the address of a page: in a project, one address is one page.

/** Maximum characters of an address. */
export const maxUrlLength = 2_000

/** Parameters that identify visitors or campaigns, never the page. */
const trackingParameter = /^(?:utm_.*|gclid|fbclid|jsessionid|phpsessid|sid)$/i
const sessionInPath = /;jsessionid=[^/;]*/gi

/**
 * Normalizes an address: absolute, http or https, without fragment, credentials, default port, tracking parameters and
 * session ids. Idempotent. Returns null for other addresses, and for those longer than 2,000 characters.
 */
export function normalizeUrl(raw: string, base?: string): string | null {
  const url = URL.parse(raw, base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (url.hash !== '' || url.href.endsWith('#')) url.hash = ''
  if (url.pathname.includes(';')) url.pathname = url.pathname.replace(sessionInPath, '')
  if (url.search !== '') url.search = withoutTracking(url.search)
  else if (url.href.endsWith('?')) url.search = ''
  return url.href.length <= maxUrlLength ? url.href : null
}

/** Other parameters keep their order and spelling: a server may distinguish `a` from `a=` and `+` from `%20`. */
function withoutTracking(search: string): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => !trackingParameter.test(pair.split('=', 1)[0] as string))
    .join('&')
  // Always adds a question mark, because the query may itself begin with one.
  return kept === '' ? '' : `?${kept}`
}

/** A part of an address as people write it: `%C3%A9` becomes `é`. Returns a part that is no valid encoding unchanged. */
export function decodeUrl(part: string, decode = decodeURIComponent): string {
  try {
    return part.includes('%') ? decode(part) : part
  } catch {
    return part
  }
}
