// A corpus of any number of sections made of real ones: the first pass has the sections unchanged, each later
// one replaces some of the rare words by new ones, so that the vocabulary grows like that of real text.
import { hash } from '../statistics.ts'

export interface CorpusPart {
  heading: string
  text: string
}

export interface Corpus {
  section(number: number): CorpusPart
  /** HTML of `p{number}.html` or `index.html` (page 0) with 50 sections; null for pages from `pages` on. */
  page(path: string, pages: number): string | null
}

export const sectionsPerPage = 50
const rareWord = 3
/** Share of the rare words that are new in each pass: about 4,000 words of the two manuals' 40,000. */
const newWords = 0.1

export function createCorpus(parts: CorpusPart[]): Corpus {
  const counts = countWords(parts)

  const section = (number: number): CorpusPart => {
    const part = parts[number % parts.length]!
    const round = Math.floor(number / parts.length)
    if (round === 0) return part
    const vary = (text: string) =>
      text.replace(/\p{L}{4,}/gu, (word) => {
        const isVaried = counts.get(word)! <= rareWord && hash(`${word} ${round}`) % 1000 < newWords * 1000
        return isVaried ? `${word}${toSyllables(round)}` : word
      })
    return { heading: vary(part.heading), text: vary(part.text) }
  }

  return {
    section,
    page(path, pages) {
      const number = path === 'index.html' ? 0 : Number(/^p(\d+)\.html$/.exec(path)?.[1] ?? Number.NaN)
      if (!(number < pages)) return null
      const sections = Array.from({ length: sectionsPerPage }, (_, at) => {
        const { heading, text } = section(number * sectionsPerPage + at)
        return `<h2 id="s${at}">${toHtml(heading)}</h2><p>${toHtml(text)}</p>`
      })
      // A tree with ten branches per page, so that every page is few links away from the first.
      const links = Array.from({ length: 10 }, (_, at) => number * 10 + at + 1)
        .filter((child) => child < pages)
        .map((child) => `<a href="p${child}.html">${child}</a>`)
      const title = `Page ${number}: ${toHtml(section(number * sectionsPerPage).heading)}`
      return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${sections.join('')}</main><nav>${links.join(' ')}</nav></body></html>`
    },
  }
}

function countWords(parts: CorpusPart[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { heading, text } of parts) {
    for (const [word] of `${heading} ${text}`.matchAll(/\p{L}{4,}/gu))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** 1 → `ne`, 28 → `bano`: one ending per pass. */
function toSyllables(round: number): string {
  const syllables = ['ba', 'ne', 'ki', 'to', 'ru', 'la', 'mi', 'so', 'ven', 'dar']
  return [...String(round)].map((digit) => syllables[Number(digit)]).join('')
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
