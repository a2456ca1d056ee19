// The names of a unit and of its page, word by word: what is compared with a query that may be such a name.
import type { SectionName } from '../../crawler/extract/page.ts'
import { nameOfSignature } from '../../crawler/extract/signature.ts'
import { analyze } from '../index/analyze.ts'
import type { Unit } from '../index/search-index.ts'
import { hashTerm } from '../index/term-hash.ts'
import { memoizeUnit } from '../index/unit-terms.ts'
import { headsOf, namesOfHead } from '../index/units.ts'

/** Terms as hashTerm has them. */
export interface NameWord {
  /** Null for a word without terms. */
  whole: number | null
  /** Parts and stems of the word. */
  parts: number[]
}

interface UnitNames {
  /** Each name that the section has, with its anchor. */
  section: { head: SectionName; words: NameWord[] }[]
  page: NameWord[]
}

export const namesOfUnit = memoizeUnit(
  (unit): UnitNames => ({
    section: headsOf(unit).flatMap((head) =>
      namesOfHead(unit.kind, head).map((name) => ({ head, words: readName(nameOf(unit.kind, name)) })),
    ),
    page: readName(withoutSubtitle(unit.pageTitle)),
  }),
)

function readName(name: string): NameWord[] {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.map((word) => {
    const [whole, ...parts] = analyze(word).map(hashTerm)
    return { whole: whole ?? null, parts }
  })
}

/** A definition's name without its parameters, and a function's that is a heading; any other heading as it is. */
function nameOf(kind: Unit['kind'], heading: string): string {
  return kind === 'definition' || call.test(heading) ? nameOfSignature(heading) : withoutSubtitle(heading)
}

/** `fs.readFile(path[, options], callback)` */
const call = /^[\w$.:#]+\(.*\)$/u

/** `asyncio — Asynchronous I/O` → `asyncio`. */
function withoutSubtitle(heading: string): string {
  return heading.split(/\s[—–]\s/u)[0]!
}
