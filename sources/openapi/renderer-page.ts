// A page that shows an API description: which renderer it uses, and where the description is.
import type { Renderer } from './anchors.ts'

/** Where each renderer's page names the description. */
const signs: [Renderer, RegExp][] = [
  ['redoc', /<redoc\b[^>]{0,500}?\bspec-url\s*=\s*["']([^"'<>]{1,2000})["']/i],
  ['redoc', /\bRedoc\.init\(\s*["'`]([^"'`]{1,2000})["'`]/],
  [
    'scalar',
    /<script\b(?=[^>]{0,500}?\bid\s*=\s*["']api-reference["'])[^>]{0,500}?\bdata-url\s*=\s*["']([^"'<>]{1,2000})["']/i,
  ],
  ['scalar', /\bcreateApiReference\([^)]{0,500}?\burl["']?\s*:\s*["'`]([^"'`]{1,2000})["'`]/],
  ['swagger-ui', /\bSwaggerUI(?:Bundle)?\(\s*\{[^}]{0,500}?\burl["']?\s*:\s*["'`]([^"'`]{1,2000})["'`]/],
]

/** Bytes that are looked at. */
const maxPage = 256 * 1024

/** Null for what is no such page. */
export function findRenderer(body: Uint8Array, base: string): { renderer: Renderer; url: string } | null {
  const text = new TextDecoder().decode(body.subarray(0, maxPage))
  if (!text.trimStart().startsWith('<')) return null
  for (const [renderer, sign] of signs) {
    const address = sign.exec(text)?.[1]
    const url = address === undefined ? null : URL.parse(address.replaceAll('&amp;', '&'), base || undefined)
    if (url !== null && /^https?:$/.test(url.protocol)) return { renderer, url: url.href }
  }
  return null
}
