// The language of a page that nobody says it of, told by its text: only for what must not guess, as a model of one language.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Section } from '../../crawler/extract/page.ts'

type Detector = ReturnType<typeof import('eld/extrasmall').eld.newInstance>
let detector: Detector | undefined

/** A detector of every language, which its caller may narrow down. Reading it takes time and memory: open it when needed. */
export function openDetector(): Detector {
  // By its path: the package names it for imports only, and an import would be waited for.
  const path = fileURLToPath(import.meta.resolve('eld/extrasmall'))
  const { eld } = createRequire(import.meta.url)(path) as typeof import('eld/extrasmall')
  return eld.newInstance()
}

/** Some twenty words, in any script. */
const minLetters = 100
/** Characters that are looked at. */
const maxSample = 2_000

/**
 * `fr-x-detected`: the language's tag with a private subtag (RFC 5646, 2.2.7), so that it is told from what a page says, and
 * no filter of a search asks for it. Null where there is too little prose, or it may be one or another.
 */
export function detectLanguage(sections: Section[]): string | null {
  const sample = toSample(sections)
  if ((sample.match(/\p{L}/gu)?.length ?? 0) < minLetters) return null
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
