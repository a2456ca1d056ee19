// Which pages a search may show, by a pattern over their addresses. The pattern may be a stranger's: how large it may be is
// limited where it is read, and how much work one search spends on it here.
import { LRUCache } from 'lru-cache'
import { readUrlPattern, type UrlPattern } from '../../crawler/glob.ts'
import { invalidField } from '../errors.ts'

export interface UrlFilter {
  /** The caller's field that asks for it: named when the pattern is refused. */
  field: string
  /** RE2, case-insensitive, found anywhere in a page's address. */
  pattern: string
}

/** Compiled patterns hold some memory, and are soon compiled again. */
const maxCompiled = 8
/**
 * Instructions of the pattern times characters of addresses that one search may judge: some 200 ms at the worst. A pattern
 * of 30 instructions judges 3,000 addresses of 100 characters.
 */
export const maxWork = 10_000_000

export function createUrlFilters() {
  const compiled = new LRUCache<string, UrlPattern>({ max: maxCompiled })

  function compile({ field, pattern }: UrlFilter): UrlPattern {
    try {
      const known = compiled.get(pattern) ?? readUrlPattern(pattern, { ignoreCase: true })
      compiled.set(pattern, known)
      return known
    } catch (error) {
      throw invalidField(field, (error as Error).message)
    }
  }

  return {
    /**
     * Whether a search may show the page of an address; asked about the best pages first, for when the work is spent, it
     * admits no other. Throws DomainError(invalid).
     */
    of(filter: UrlFilter | null): (url: string) => boolean {
      if (filter === null) return () => true
      const pattern = compile(filter)
      const known = new Map<string, boolean>()
      let work = 0
      return (url) => {
        let admitted = known.get(url)
        if (admitted === undefined) {
          work += pattern.size * url.length
          admitted = work <= maxWork && pattern.test(url)
          known.set(url, admitted)
        }
        return admitted
      }
    },
  }
}
