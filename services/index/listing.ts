// Measures how much of a page and its units is lists: hubs, keyword indexes, tables of names, change logs. Uses the layout only,
// in any language, so that ranking can prefer explanations.
import type { Block, Section } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'

/** Characters. A shorter line of a list or table is a name rather than a sentence. */
const maxShortLine = 60

interface Shape {
  /** Characters in total, in lists and tables, in their short lines, and in links. */
  all: number
  inLists: number
  inShortLines: number
  linked: number
}

const empty: Shape = { all: 0, inLists: 0, inShortLines: 0, linked: 0 }

function add(shape: Shape, { kind, text, linked = 0 }: Block): Shape {
  const isList = kind === 'list' || kind === 'table'
  return {
    all: shape.all + text.length,
    inLists: shape.inLists + (isList ? text.length : 0),
    inShortLines: shape.inShortLines + (isList ? shortLines(text) : 0),
    linked: shape.linked + linked,
  }
}

function shortLines(text: string): number {
  return text
    .split('\n')
    .filter((line) => line.length < maxShortLine)
    .join('\n').length
}

/** From 0 (prose) to 1 (half of it links). Short lines without links count a quarter as much as links. */
function toShare({ all, inShortLines, linked }: Shape): number {
  return all === 0 ? 0 : Math.min(1, (2 * linked + inShortLines / 2) / all)
}

type ListedPage = Pick<PageContent, 'title' | 'sections'>
/** Returns the share of lists in a unit of the page, from 0 to 1. */
type ListingReader = (section: Pick<Section, 'kind'>, blocks: Block[]) => number

/**
 * The mean of the scores of unit and page, rounded to hundredths. The score of a text is twice its share of characters in
 * links plus half its share in short lines of lists and tables, at most 1. In a change log, the page scores 1 and a unit its
 * share of lists. A heading without text scores 1.
 *
 *   "See the tutorial and the FAQ." of 30 characters with 11 in links: 2 × 11 / 30 = .73; on a page of prose with
 *   score .05: .39. A page of links only: 1. "What's New in 3.8", a section of prose: (0 + 1) / 2 = .5
 */
export function createListingReader(page: ListedPage): ListingReader {
  const whole = page.sections.flatMap(({ blocks }) => blocks).reduce(add, empty)
  const isLog = isChangeLog(page, whole)
  const ofPage = isLog || whole.all === 0 ? 1 : toShare(whole)
  return ({ kind }, blocks) => {
    const shape = blocks.reduce(add, empty)
    const isBare = shape.all === 0
    const own = isBare ? Number(kind === 'heading') : isLog ? shape.inLists / shape.all : toShare(shape)
    return Math.round(50 * (own + ofPage)) / 100
  }
}

const date = /^[[(]?\d{4}-\d{2}-\d{2}[\]),:]?$/
const release = /^[[(]?v?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|pre)\.?\d*)?[\]),:]?$/i

const year = /^(?:19|20)\d\d[\]),:]?$/

/** True for "Release 15.3", "2.1.0 (2024-05-01)" and "2.1.0 (May 1, 2024)", false for "2.1 First steps". */
function namesRelease(heading: string): boolean {
  const words = heading.split(' ')
  const last = words.at(-1)!
  return words.some((word) => date.test(word) || (release.test(word) && (word === last || year.test(last))))
}

/** Minimum share of lists in a change log. */
const minInLists = 0.1
/** Minimum headings with a release or a date in a change log without one in its title. */
const minEntries = 3

/** Whether a page with lists has a release or a date in its title or short first line, or has most text below such headings. */
function isChangeLog({ title, sections }: ListedPage, { all, inLists }: Shape): boolean {
  if (inLists <= minInLists * all) return false
  const opening = sections[0]?.blocks[0]?.text ?? ''
  const isDated = opening.length < maxShortLine && opening.split(' ').some((word) => date.test(word))
  if (isDated || namesRelease(title)) return true
  const named = new Set(sections.map(({ heading }) => heading).filter(namesRelease))
  const below = sections.filter(({ heading, path }) => [heading, ...path].some((name) => named.has(name)))
  const shape = below.flatMap(({ blocks }) => blocks).reduce(add, empty)
  return named.size >= minEntries && 2 * shape.all > all
}
