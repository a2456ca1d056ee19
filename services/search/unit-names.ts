// The names of a unit and of its page, word by word: what is compared with a query that may be such a name.
import { analyze } from '../index/analyze.ts'
import { perUnit } from '../index/per-unit.ts'
import type { Unit } from '../index/search-index.ts'
import { hashTerm } from '../index/term-hash.ts'
import { namesOf } from '../index/units.ts'

/** Terms as hashTerm has them. */
export interface NameWord {
  /** Null for a word without terms. */
  whole: number | null
  /** Parts and stems of the word. */
  parts: number[]
}

export interface UnitNames {
  /** Each name that the section has. */
  section: NameWord[][]
  page: NameWord[]
}

export const namesOfUnit = perUnit(
  (unit): UnitNames => ({
    section: namesOf(unit).map((name) => readName(nameOf({ ...unit, heading: name }))),
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

/** A definition's name without its parameters; any other heading as it is. */
function nameOf({ kind, heading }: Pick<Unit, 'kind' | 'heading'>): string {
  if (kind === 'heading') return withoutSubtitle(heading)
  return heading
    .replace(
      /^(?:async|class|classmethod|static|staticmethod|abstractmethod|property|final|exception|coroutine|function|type|method)\s+/gu,
      '',
    )
    .split(/[([=:]|\s(?=\()/u)[0]!
    .trim()
}

/** `asyncio — Asynchronous I/O` → `asyncio`. */
function withoutSubtitle(heading: string): string {
  return heading.split(/\s[—–]\s/u)[0]!
}
