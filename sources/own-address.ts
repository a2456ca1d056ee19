// Addresses of documents without a web address: Lectern's own pages, which show their text.
import { normalizeUrl } from '../crawler/url.ts'

/**
 * Base address of all such pages of a source, with a trailing slash.
 *
 *   http://127.0.0.1:8080, guide, 0b5c…  →  http://127.0.0.1:8080/files/guide/0b5c…/
 */
export function toOwnPages(base: string, slug: string, source: string): string {
  return `${base}/files/${slug}/${source}/`
}

/**
 * The address of the page at a path below `ownPages`, such as a file's name, or '' for the first. Null if it is too long.
 *
 *   GET/pets/{id}  →  …/GET/pets/%7Bid%7D
 */
export function ownAddress(ownPages: string, path: string): string | null {
  // Browsers would change the path: removes empty segments, and replaces dots that lead upwards.
  const segments = path.split('/').map((segment) => (/^\.{1,2}$/.test(segment) ? '_' : segment))
  return readOwnAddress(ownPages, segments.filter((segment) => segment !== '').join('/'))
}

/** The same for a path in a request. */
export function readOwnAddress(ownPages: string, path: string): string | null {
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return normalizeUrl(ownPages + encoded)
}
