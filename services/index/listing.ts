// How much of a page and its units only lists: hubs, keyword indexes, tables of names, change logs. Told by shape alone, in
// any language, so that ranking can let them give way to what explains.
import type { Block, Section } from '../../crawler/extract/page.ts'
import type { PageContent } from '../store/page.ts'

/** Characters: a shorter line of a list or table holds a name rather than a sentence. */
const maxShortLine = 60

interface Shape {
  /** Characters of all, of lists and tables, of their short lines, and of links. */
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

/** From 0, which explains, to 1, where half is links. Short lines without links weigh a quarter of what links do. */
function toShare({ all, inShortLines, linked }: Shape): number {
  return all === 0 ? 0 : Math.min(1, (2 * linked + inShortLines / 2) / all)
}

/** Reads the shape of a page once, then returns the share of lists in each of its units, from 0 to 1. */
type ListingReader = (section: Pick<Section, 'kind'>, blocks: Block[]) => number

/**
 * The mean of what the unit's own text gives and what the page's gives, in hundredths. A text gives twice the share of its
 * characters in links, and half the share in short lines of lists and tables, 1 at most. In a change log, the page gives 1 and
 * a unit the share of lists in it. A heading without text gives 1.
 *
 *   "See the tutorial and the FAQ." of 30 characters with 11 in links → 2 × 11 / 30 = .73; on a page of prose, which
 *   gives .05 → .39. A page of links alone: 1. "What's New in 3.8", a section of prose: (0 + 1) / 2 = .5
 */
export function createListingReader({
  title,
  sections,
}: Pick<PageContent, 'title' | 'sections'>): ListingReader {
  const whole = sections.flatMap(({ blocks }) => blocks).reduce(add, empty)
  const isLog = isChangeLog(title, sections, whole)
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

/** "Release 15.3" and "2.1.0 (2024-05-01)", but not "2.1 First steps" and not "DB-API 2.0 interface". */
function namesRelease(heading: string): boolean {
  const words = heading.split(' ')
  return release.test(words.at(-1)!) || words.some((word) => date.test(word))
}

/** Share of a page's text in lists below which no name makes it a log. */
const minInLists = 0.1
/** Headings that make a page a log by themselves. */
const minEntries = 3

/** Whether a page with lists has a release or a date in its title or short first line, or mostly text below headings that do. */
function isChangeLog(title: string, sections: Section[], { all, inLists }: Shape): boolean {
  if (inLists <= minInLists * all) return false
  const opening = sections[0]?.blocks[0]?.text ?? ''
  const isDated = opening.length < maxShortLine && opening.split(' ').some((word) => date.test(word))
  if (isDated || namesRelease(title)) return true
  const named = new Set(sections.map(({ heading }) => heading).filter(namesRelease))
  const below = sections.filter(({ heading, path }) => [heading, ...path].some((name) => named.has(name)))
  return named.size >= minEntries && 2 * measureLength(below) > all
}

function measureLength(sections: Section[]): number {
  return sections.flatMap(({ blocks }) => blocks).reduce((sum, { text }) => sum + text.length, 0)
}
