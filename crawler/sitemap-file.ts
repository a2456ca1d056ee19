// Parses one sitemap file, XML or plain text (sitemaps.org protocol 0.9).
import { SaxesParser } from 'saxes'
import { maxUrlLength, normalizeUrl } from './url.ts'

export interface SitemapEntry {
  url: string
  /** From hreflang, or null. */
  language: string | null
}

export type SitemapItem =
  | { kind: 'page'; entry: SitemapEntry }
  | { kind: 'sitemap'; url: string }
  | { kind: 'problem'; message: string }

/** The protocol's limit on `url` and `sitemap` elements, and on lines of plain text. */
const maxUrls = 50_000
const maxAlternates = 100
/** Maximum different addresses of a file, including translations, and their total characters. */
const maxItems = 100_000
const maxCharacters = 32 * 1024 * 1024
/** Maximum XML errors. Reporting one costs as much as reading an address. */
const maxFaults = 100_000
/** Maximum depth of elements. The protocol needs 4. */
const maxDepth = 20
const maxLength = 4 * maxUrlLength

/** An unescaped ampersand: many generators forget to escape it. */
const bareAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});)/gi

const malformed = 'The sitemap is no well-formed XML; what could be read of it was taken.'
const noSitemap = 'The file at this address is not a sitemap.'
const tooMany = `The sitemap lists more than ${maxUrls} addresses, or too many translations of them; the rest was left out.`

const tooDeep = `The elements of the sitemap stand in each other more than ${maxDepth} deep; the rest was left out.`

const roots = ['urlset', 'sitemapindex']

/** Ends the parsing of a file. Items that were found before are returned. */
class StopReading extends Error {}

/** Returns unique items in the order of the file. */
export function readSitemapFile(body: Uint8Array, base: string): SitemapItem[] {
  const text = new TextDecoder().decode(body)
  return /^\s*</.test(text.slice(0, 256)) ? readXml(text, base) : readLines(text, base)
}

/** Reads an address per line. */
function readLines(text: string, base: string): SitemapItem[] {
  const lines = text.split('\n', 4 * maxUrls).filter((line) => /^\s*https?:/i.test(line))
  const urls = new Set(lines.slice(0, maxUrls).map((line) => normalizeUrl(line.trim(), base)))
  const items = [...urls].flatMap((url): SitemapItem[] =>
    url === null ? [] : [{ kind: 'page', entry: { url, language: null } }],
  )
  if (lines.length > maxUrls) items.push({ kind: 'problem', message: tooMany })
  return lines.length > 0 ? items : [{ kind: 'problem', message: noSitemap }]
}

/** Ignores DTDs, and expands only XML's predefined entities. */
function readXml(text: string, base: string): SitemapItem[] {
  const items = new Map<string, SitemapItem>()
  let characters = 0
  const take = (item: SitemapItem) => {
    const key = JSON.stringify(item)
    if (items.has(key)) return
    characters += key.length
    if (items.size < maxItems && characters <= maxCharacters) items.set(key, item)
    else stop(tooMany)
  }
  const stop = (message: string) => {
    items.set(message, { kind: 'problem', message })
    throw new StopReading()
  }
  const parser = new SaxesParser()
  const open: string[] = []
  let location: string | null = null
  let alternates: SitemapEntry[] = []
  let count = 0
  let faults = 0

  function addText(text: string) {
    const isLocation = open.at(-1) === 'loc' && (open.at(-2) === 'url' || open.at(-2) === 'sitemap')
    if (isLocation && (location ?? '').length < maxLength) location = (location ?? '') + text
  }

  function close(kind: 'url' | 'sitemap') {
    const url = location === null ? null : normalizeUrl(location.trim(), base)
    const others = alternates
    location = null
    alternates = []
    if (url === null) return
    count += 1
    if (count > maxUrls) stop(tooMany)
    if (kind === 'sitemap') return take({ kind: 'sitemap', url })
    const language = others.find((other) => other.url === url)?.language ?? null
    take({ kind: 'page', entry: { url, language } })
    for (const entry of others) if (entry.url !== url) take({ kind: 'page', entry })
  }

  parser.on('error', () => {
    faults += 1
    if (faults === 1) take({ kind: 'problem', message: malformed })
    if (faults === maxFaults) throw new StopReading()
  })
  parser.on('opentag', ({ name, attributes }) => {
    open.push(localName(name))
    if (open.length > maxDepth) stop(tooDeep)
    if (open.length === 1 && !roots.includes(localName(name))) take({ kind: 'problem', message: noSitemap })
    const { rel, href, hreflang } = attributes as Record<string, string | undefined>
    if (open.at(-1) !== 'link' || open.at(-2) !== 'url' || rel !== 'alternate' || !href) return
    if (alternates.length === maxAlternates) return
    const url = normalizeUrl(href, base)
    const language = hreflang && hreflang !== 'x-default' ? hreflang.toLowerCase() : null
    if (url !== null) alternates.push({ url, language })
  })
  parser.on('text', addText)
  parser.on('cdata', (text) => addText(text.replaceAll('&amp;', '&')))
  parser.on('closetag', () => {
    const name = open.pop()
    if (name === 'url' || name === 'sitemap') close(name)
  })
  try {
    parser.write(text.replace(bareAmpersand, '&amp;')).close()
  } catch (error) {
    if (!(error instanceof StopReading)) throw error
  }
  return [...items.values()]
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
