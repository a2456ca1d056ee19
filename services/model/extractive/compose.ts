// Writes an answer in Markdown out of what was chosen, with a citation behind all that is quoted.
import { definedName, shortTitle } from '../../answer/passage-title.ts'
import type { ModelPassage } from '../model.ts'
import type { Choice } from './choose.ts'
import type { Excerpt } from './excerpt.ts'
import { toInline } from './inline.ts'
import type { QuotableSentence } from './passage-parts.ts'

/** Sections that are named behind what is quoted, and where nothing is. */
const mostRelated = { behind: 4, alone: 6 }

export function compose({ main, more, rest }: Choice): string {
  const quoted = [main, ...more].flatMap((excerpt) => (excerpt ? [excerpt.passage] : []))
  const related = toRelated(rest, quoted, main ? mostRelated.behind : mostRelated.alone)
  if (main === null)
    return related.length === 0 ? '' : `These sections come nearest to the question:\n\n${listOf(related)}`
  const blocks = [openingOf(main), ...exampleOf(main)]
  if (more.length > 0) blocks.push(more.map((excerpt) => `- ${named(excerpt)}`).join('\n'))
  if (related.length > 0) blocks.push(`See also: ${related.map(mention).join(', ')}`)
  return blocks.join('\n\n')
}

/** Sections of pages that nothing is quoted from come first; one name once. */
function toRelated(rest: ModelPassage[], quoted: ModelPassage[], most: number): ModelPassage[] {
  const pageOf = ({ url }: ModelPassage) => url.split('#')[0]
  const pages = new Set(quoted.map(pageOf))
  const names = new Set(quoted.map(({ title }) => shortTitle(title)))
  return [
    ...rest.filter((each) => !pages.has(pageOf(each))),
    ...rest.filter((each) => pages.has(pageOf(each))),
  ]
    .filter(({ title }) => !names.has(shortTitle(title)) && names.add(shortTitle(title)))
    .slice(0, most)
}

function openingOf(excerpt: Excerpt): string {
  const { items, passage } = excerpt
  const list = items.map(({ text }) => `- ${toInline(text)} [${passage.label}]`)
  return [quote(excerpt), ...(list.length > 0 ? ['', ...list] : [])].join('\n')
}

/** Says first what it is about, where the sentences do not name it. */
function quote(excerpt: Excerpt): string {
  return names(excerpt.sentences[0]!, excerpt.passage) ? cited(excerpt) : named(excerpt)
}

function named(excerpt: Excerpt): string {
  return `**${toName(excerpt.passage.title)}**: ${cited(excerpt)}`
}

/** One citation, in the last sentence, stands for all. */
function cited({ sentences }: Excerpt): string {
  const shown = sentences.map(({ text }) => toInline(text)).join(' ')
  const [, body, end] = /^(.*?)([.!?:。！？：]?)[.!?:]*$/su.exec(shown)!
  return `${body} [${sentences.at(-1)!.label}]${end}`
}

function toName(title: string): string {
  const defined = definedName(title)
  return defined === null ? toInline(shortTitle(title)) : `\`${defined}\``
}

function names({ text }: QuotableSentence, { title }: ModelPassage): boolean {
  const words =
    shortTitle(title)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]{3,}/gu) ?? []
  const said = text.toLowerCase()
  return (
    words.length > 0 &&
    words.filter((word) => said.includes(word.replace(/s$/u, ''))).length >= words.length * 0.6
  )
}

function exampleOf({ code, codeFrom, sentences, passage }: Excerpt): string[] {
  if (code === null) return []
  const fence = '`'.repeat(Math.max(3, ...(code.text.match(/`+/gu) ?? []).map((run) => run.length + 1)))
  const block = `${fence}\n${code.text}\n${fence}`
  const isLedTo = sentences.at(-1)!.leads && codeFrom === passage
  return isLedTo ? [block] : [`For example [${codeFrom.label}]:`, block]
}

/** Its name alone, to be read further. */
function mention({ title, label }: ModelPassage): string {
  return `${toName(title).replace(/[.!?…\s]+$/u, '')} [${label}]`
}

function listOf(passages: ModelPassage[]): string {
  return passages.map((passage) => `- ${mention(passage)}`).join('\n')
}
