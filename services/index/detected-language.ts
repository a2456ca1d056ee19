// Detects the language of a text. Not for the main thread: the tables need memory and time to load.
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Section } from '../../crawler/extract/page.ts'

type Detector = ReturnType<typeof import('eld/extrasmall').eld.newInstance>
let detector: Detector | undefined

function openDetector(): Detector {
  // Required by path: the package exports it for `import` only, which is asynchronous.
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'))
  const { eld } = createRequire(import.meta.url)(path) as typeof import('eld/extrasmall')
  return eld.newInstance()
}

/** 100 letters: about twenty words, in any script. */
const enoughLetters = /^(?:\P{L}*\p{L}){100}/u
/** Maximum characters to examine: more do not change the result. */
const maxSample = 500

/** Fewer words may all be names: `pip install` is detected as German. Counts characters in scripts without spaces. */
const minWords = 4

let subset: { among: string; detector: Detector } | undefined

/**
 * Detects the language of each text, such as a question or a sentence, as one of `among` (ISO 639-1). Null if the text is too
 * short or the result is unreliable. Yields to the event loop after each text.
 */
export async function detectLanguages(texts: string[], among: readonly string[]): Promise<(string | null)[]> {
  if (subset?.among !== among.join()) {
    subset = { among: among.join(), detector: openDetector() }
    subset.detector.setLanguageSubset([...among])
  }
  const found: (string | null)[] = []
  for (const text of texts) {
    const prose = text.replace(/`[^`]*`/gu, ' ')
    const words =
      prose.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}'’]+/gu) ?? []
    const result = words.length >= minWords ? subset.detector.detect(prose) : null
    found.push(result?.isReliable() ? result.language : null)
    await setImmediate()
  }
  return found
}

/**
 * Detects the language of a page that does not declare one, for embedding models. Returns a tag with a private subtag (RFC 5646,
 * 2.2.7), such as `fr-x-detected`, which search filters do not match. Null if there is too little prose or the result is unreliable.
 */
export function detectLanguage(sections: Section[]): string | null {
  const sample = toSample(sections)
  if (!enoughLetters.test(sample)) return null
  detector ??= openDetector()
  const found = detector.detect(sample)
  return found.isReliable() ? `${found.language}-x-detected` : null
}

/** The first prose of the page, without code and tables. */
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
