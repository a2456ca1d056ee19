// Finds citations of a draft that are missing in the checked answer. Adjacent marks are one citation.

export interface RemovedCitations {
  /** Citations in the draft. */
  total: number
  /** Sentences whose citations were removed. */
  sentences: string[]
}

const code = /```[\s\S]*?(?:```|$)|`[^`\n]+`/
const mark = /[ \t]*(?:\[\^?\d{1,3}(?:\s*[,;]\s*\d{1,3})*\](?:\([^()\s]*\))?|【\d{1,3}[^】\n]*】)/
const codeOrMarks = new RegExp(`(?<code>${code.source})|(?:${mark.source})+`, 'gu')
const maxSentence = 160

export function removedCitations(draft: string, answer: string): RemovedCitations {
  const before = readMarks(draft)
  const after = readMarks(answer)
  const lost = after.text.startsWith(before.text.trimEnd())
    ? before.places.filter((place) => !after.places.includes(place))
    : []
  return { total: before.places.length, sentences: lost.map((place) => sentenceBefore(before.text, place)) }
}

/** `places`: offsets in the text without its marks. */
function readMarks(markdown: string): { text: string; places: number[] } {
  const places: number[] = []
  let text = ''
  let last = 0
  for (const { 0: found, index, groups } of markdown.matchAll(codeOrMarks)) {
    text += markdown.slice(last, index)
    if (groups?.code === undefined) places.push(text.length)
    else text += found
    last = index + found.length
  }
  return { text: text + markdown.slice(last), places }
}

function sentenceBefore(text: string, place: number): string {
  const sentence = text
    .slice(0, place)
    .split(/(?<=[.!?。])\s+|\n+|(?<=[。])/u)
    .at(-1)
  return (sentence ?? '').replace(/^[-*+>#\s]+/u, '').slice(-maxSentence)
}
