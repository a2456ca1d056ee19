// Keeps a project's vocabulary on the indexing side: counts the terms of units, writes them whole.
import type { Unit } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import type { Store } from '../store/store.ts'
import type { Vocabulary } from './vocabulary.ts'
import { decodeVocabulary, encodeVocabulary } from './vocabulary-format.ts'

type Terms = Pick<Unit, 'titleTerms' | 'headingTerms' | 'bodyTerms'>

export interface VocabularyWriter {
  add(units: Terms[]): void
  remove(units: Terms[]): void
  /** Writes what was counted since the last time; nothing when nothing was. */
  flush(): Promise<void>
}

/** Goes on from the vocabulary that the project has. */
export async function openVocabularyWriter(store: Store, project: string): Promise<VocabularyWriter> {
  const stored = await store.vocabulary.read(project)
  return createWriter(store, project, stored === null ? null : decodeVocabulary(stored.terms))
}

const scannedPages = 100

/** Counts the terms of all pages anew, from their stored text, and writes them. */
export async function rebuildVocabulary(store: Store, project: string): Promise<void> {
  const writer = createWriter(store, project, null)
  for (let after: string | null = null; ; ) {
    const pages = await store.pages.scan(project, after, scannedPages)
    for (const page of pages) {
      const content = await store.pages.content(page.uuid)
      if (content) writer.add(toUnits(page, content))
    }
    if (pages.length < scannedPages) break
    after = pages.at(-1)!.uuid
  }
  writer.touch()
  await writer.flush()
}

interface Count {
  units: number
  inHeadings: number
  /** Number of the unit that was counted last: a term counts once a unit. */
  last: number
  lastInHeading: number
}

function createWriter(
  store: Store,
  project: string,
  start: Vocabulary | null,
): VocabularyWriter & { touch(): void } {
  const counts = new Map<string, Count>()
  let units = start?.units ?? 0
  let unit = 0
  let changed = false
  for (const [place, term] of (start?.terms ?? []).entries()) {
    counts.set(term, {
      units: start!.counts[place]!,
      inHeadings: start!.inHeadings[place]!,
      last: 0,
      lastInHeading: 0,
    })
  }

  function countField(field: string, step: number, isHeading: boolean) {
    for (let from = 0; from < field.length; ) {
      let end = field.indexOf(' ', from)
      if (end < 0) end = field.length
      const term = field.slice(from, end)
      from = end + 1
      let count = counts.get(term)
      if (count === undefined) {
        count = { units: 0, inHeadings: 0, last: 0, lastInHeading: 0 }
        counts.set(term, count)
      }
      if (count.last !== unit) {
        count.last = unit
        count.units += step
      }
      if (isHeading && count.lastInHeading !== unit) {
        count.lastInHeading = unit
        count.inHeadings += step
      }
    }
  }

  function count(counted: Terms[], step: number) {
    for (const { titleTerms, headingTerms, bodyTerms } of counted) {
      unit++
      units += step
      countField(headingTerms, step, true)
      countField(titleTerms, step, false)
      countField(bodyTerms, step, false)
    }
    changed ||= counted.length > 0
  }

  return {
    add: (added) => count(added, 1),
    remove: (removed) => count(removed, -1),
    touch() {
      changed = true
    },
    async flush() {
      if (!changed) return
      changed = false
      for (const [term, count] of counts) if (count.units <= 0) counts.delete(term)
      const terms = [...counts.keys()].sort()
      const column = (of: (count: Count) => number) =>
        Uint32Array.from(terms, (term) => Math.max(0, of(counts.get(term)!)))
      const vocabulary = {
        units: Math.max(0, units),
        terms,
        counts: column((count) => count.units),
        inHeadings: column((count) => count.inHeadings),
      }
      await store.vocabulary.write(project, encodeVocabulary(vocabulary))
    },
  }
}
