// Detects the language of a text. The tables take memory and a moment to load, so the main thread does not use it.
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Section } from '../../crawler/extract/page.ts'

type Detector = ReturnType<typeof import('eld/extrasmall').eld.newInstance>
let detector: Detector | undefined

function openDetector(): Detector {
  // By its path: the package names it for imports only, and an import would be waited for.
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'))
  const { eld } = createRequire(import.meta.url)(path) as typeof import('eld/extrasmall')
  return eld.newInstance()
}

/** 100 letters: some twenty words, in any script. */
const enoughLetters = /^(?:\P{L}*\p{L}){100}/u
/** Characters that are looked at; more tell the same. */
const maxSample = 500

/** Fewer may be names alone: `pip install` is German to a detector. Characters, in scripts that put no spaces between words. */
const minWords = 4

let chosen: { among: string; detector: Detector } | undefined

/**
 * The language of each text, a question or a sentence as much as a page's beginning, as one of `among` (ISO 639-1). Null
 * where it is too short to tell, or may be one or another. After each text other work may run.
 */
export async function detectLanguages(texts: string[], among: readonly string[]): Promise<(string | null)[]> {
  if (chosen?.among !== among.join()) {
    chosen = { among: among.join(), detector: openDetector() }
    chosen.detector.setLanguageSubset([...among])
  }
  const found: (string | null)[] = []
  for (const text of texts) {
    const prose = text.replace(/`[^`]*`/gu, ' ')
    const words =
      prose.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}'’]+/gu) ?? []
    const told = words.length >= minWords ? chosen.detector.detect(prose) : null
    found.push(told?.isReliable() ? told.language : null)
    await setImmediate()
  }
  return found
}

/**
 * Of a page that nobody says it of: only for what must not guess, as a model of one language. `fr-x-detected`: the language's tag with a private subtag (RFC 5646, 2.2.7), so that it is told from what a page says, and
 * no filter of a search asks for it. Null where there is too little prose, or it may be one or another.
 */
export function detectLanguage(sections: Section[]): string | null {
  const sample = toSample(sections)
  if (!enoughLetters.test(sample)) return null
  detector ??= openDetector()
  const found = detector.detect(sample)
  return found.isReliable() ? `${found.language}-x-detected` : null
}

/** The beginning of its prose: code and tables are in no language. */
function toSample(sections: Section[]): string {
  let sample = ''
  for (const { blocks } of sections) {
    for (const { kind, text } of blocks) {
      if (kind === 'paragraph' || kind === 'list') sample += `${text.slice(0, maxSample)}\n`
      if (sample.length >= maxSample) return sample.slice(0, maxSample)
    }
  }
  return sample
}
