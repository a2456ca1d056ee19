// Decides which addresses belong to a web source, by its coverage and its globs.
import { type Glob, readGlob } from './glob.ts'
import { normalizeUrl } from './url.ts'

export interface ScopeSource {
  url: string
  /** Target of the start address's redirect. It determines a site's scope. */
  resolvedUrl: string | null
  include: string[]
  exclude: string[]
}

/** The part of the web that a source covers, determined by its start address. */
export type Cover = (start: URL) => (url: URL) => boolean

/** `covers`, `follows`: from the source's type. Globs never exclude the start address of a source that follows links. */
export interface ScopeType {
  covers: Cover
  follows?: true
}

export interface Scope {
  /** Whether the source covers the address, regardless of globs. Fast enough for many addresses. */
  covers(url: string): boolean
  /** `in`: a page of the source. `excluded`: excluded by globs, or too long for them. `out`: not covered by the source. */
  admits(url: string): Judgement['verdict']
}

export type SourceScope = ReturnType<typeof createScope>

interface Judgement {
  verdict: 'in' | 'excluded' | 'out'
  /** The include or exclude glob that decided. Null if no glob matches. */
  glob: string | null
}

/** Extensions of files without text to index, regardless of content type. */
const otherFiles = new Set(
  `png jpg jpeg gif svg svgz webp avif ico bmp tif tiff psd eps
   zip gz tgz bz2 tbz2 xz txz 7z rar tar zst lz br whl egg gem jar war ear deb rpm apk dmg iso img msi exe bin dll so
   dylib a o obj lib class pyc wasm
   css js mjs cjs map json jsonl ndjson inv xml rss atom xsd dtd yaml yml toml csv tsv
   woff woff2 ttf otf eot
   mp3 mp4 m4a m4v ogg oga ogv wav flac webm avi mov mkv wmv
   pdf ps doc docx xls xlsx ppt pptx odt ods odp epub mobi sqlite db`.split(/\s+/),
)

/**
 * Maximum glob instructions times characters for one address: some 100 ms at worst. It is enough for globs of 1,000
 * instructions in total and addresses of 2,000 characters, or 200 globs of 50 instructions and addresses of 200 characters.
 */
export const maxWork = 4_000_000

/** Throws an Error if the address or a glob is invalid. */
export function createScope(source: ScopeSource, { covers, follows }: ScopeType) {
  const start = URL.parse(normalizeUrl(source.resolvedUrl ?? source.url) ?? '')
  if (start === null) throw new Error(`${source.url} is no address that can be crawled`)
  const isCovered = covers(start)
  const include = source.include.map(readGlob)
  const exclude = source.exclude.map(readGlob)
  const starts = new Set([start.href, normalizeUrl(source.url)])
  const isStart = (url: URL) => starts.has(url.href)

  function read(url: string): URL | null {
    const parsed = URL.parse(url)
    if (parsed === null || isStart(parsed)) return parsed
    return isCovered(parsed) && !isOtherFile(parsed.pathname) ? parsed : null
  }

  /** The same as `admits`, with the glob that decided. */
  function judge(url: string): Judgement {
    const parsed = read(url)
    if (parsed === null) return { verdict: 'out', glob: null }
    let work = 0
    const isSpent = () => work > maxWork
    const find = (globs: Glob[], texts: string[]) => {
      const found = globs.findIndex((glob) => {
        // Twice, because a glob may match the encoded and the decoded path.
        work += 2 * glob.size * url.length
        return !isSpent() && glob.matches(url)
      })
      return texts[found] ?? null
    }
    const excluding = find(exclude, source.exclude)
    if (excluding !== null || isSpent()) return { verdict: 'excluded', glob: excluding }
    const including = find(include, source.include)
    // The start of a site is included even if globs only match pages below it.
    const isIn = include.length === 0 || including !== null || (follows && isStart(parsed))
    return { verdict: isIn ? 'in' : 'excluded', glob: including }
  }

  const scope: Scope = {
    covers: (url) => read(url) !== null,
    admits: (url) => judge(url).verdict,
  }
  return { ...scope, judge }
}

const isOtherFile = (path: string): boolean =>
  otherFiles.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase())
