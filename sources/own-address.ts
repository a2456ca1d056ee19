// Addresses of documents that have no address on the web: pages of Lectern itself, which show their text.
import { normalizeUrl } from '../crawler/url.ts'

/**
 * Where all such pages of a source are; ends in a slash.
 *
 *   http://127.0.0.1:8080, guide, 0b5c…  →  http://127.0.0.1:8080/files/guide/0b5c…/
 */
export function toOwnPages(base: string, slug: string, source: string): string {
  return `${base}/files/${slug}/${source}/`
}

/**
 * The page of that path below `ownPages`, such as a file's name; '' for the first. Null where it would be too long.
 *
 *   GET/pets/{id}  →  …/GET/pets/%7Bid%7D
 */
export function ownAddress(ownPages: string, path: string): string | null {
  // What would be another path in a browser: nothing between slashes, and the dots that lead upwards.
  const segments = path.split('/').filter((segment) => segment !== '')
  return readOwnAddress(
    ownPages,
    segments.map((segment) => (/^\.{1,2}$/.test(segment) ? '_' : segment)).join('/'),
  )
}

/** The same of a path that somebody asks for. */
export function readOwnAddress(ownPages: string, path: string): string | null {
  const encoded = path.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return normalizeUrl(ownPages + encoded)
}
