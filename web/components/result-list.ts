// The number of results, and their list: a listbox whose options are links, grouped by page (ARIA combobox pattern).
import { readWebAddress, toReadablePath } from './addresses.ts'
import { readExcerpt } from './excerpt.ts'
import { readWords } from './highlight.ts'
import { make } from './make.ts'
import { makeFragment, makeTitle } from './result-text.ts'
import type { Search, SearchPart } from './search.ts'
import { countPages, countResults, isLimit, type PageGroup, type RankedResult } from './search-state.ts'
import { fill, type Texts } from './texts.ts'

/** Of a task that fills options. */
const maxTaskMs = 10
/** A result that is scrolled to is laid out only then, and so are those around it: after so many frames all have their heights. */
const revealFrames = 4

export interface ResultListOptions {
  search: Search
  texts: Texts
  /** Hears of every result that a reader opens. */
  onOpen(result: RankedResult, event: MouseEvent): void
  /** What else is said of a result. */
  describe?(result: RankedResult): string
}

export function createResultList({ search, texts, onOpen, describe }: ResultListOptions): SearchPart {
  const list = make('div', {
    class: 'results',
    part: 'results',
    id: 'results',
    role: 'listbox',
    'aria-label': texts.search.results,
  })
  const end = make('div', { id: 'end' })
  let drawn: PageGroup[] | null = null
  /** Groups that stay when more results come keep their elements. */
  let elements = new Map<PageGroup, HTMLElement>()
  let links: HTMLElement[] = []
  /** Options without their text, in order. */
  let waiting: (() => void)[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let chosen: HTMLElement | undefined
  /** Loads more when the reader comes near the end. */
  const observer = new IntersectionObserver(
    (entries) => entries.at(-1)!.isIntersecting && void search.loadMore(),
    { rootMargin: '0px 0px 300px' },
  )

  function draw(groups: PageGroup[], words: string[]) {
    drawn = groups
    // More of the same results come after those that are here.
    if (!elements.has(groups[0]!)) waiting = []
    elements = new Map(groups.map((group) => [group, elements.get(group) ?? makeGroup(group, words)]))
    list.replaceChildren(...elements.values())
    list.hidden = groups.length === 0
    links = [...list.querySelectorAll<HTMLElement>('[role=option]')]
    for (const [index, link] of links.entries()) link.id = `result-${index}`
    // Observing anew reports the end of a short list, too.
    observer.disconnect()
    if (groups.length > 0) observer.observe(end)
    fillOptions()
  }

  /** A slow processor does it in several tasks, so that keys are heard between them. */
  function fillOptions() {
    clearTimeout(timer)
    const end = performance.now() + maxTaskMs
    while (waiting.length > 0 && performance.now() < end) waiting.shift()!()
    if (waiting.length > 0) timer = setTimeout(fillOptions)
  }

  function reveal(frames: number) {
    chosen?.scrollIntoView({ block: 'nearest' })
    if (frames > 0) requestAnimationFrame(() => reveal(frames - 1))
  }

  function makeGroup(group: PageGroup, words: string[]): HTMLElement {
    const { title, isFile, results } = group
    const label = isFile ? fill(texts.search.fileGroup, { title }) : title
    return make(
      'div',
      { role: 'group', class: 'page', 'aria-label': label },
      makePageHead(group, words),
      ...results.map((result) => makeOption(result, words)),
    )
  }

  /** Title and address of a page; the title is left out where its first result says the same. */
  function makePageHead({ page, title, isFile, results }: PageGroup, words: string[]): HTMLElement {
    const first = results[0]?.title
    const isTold = !first || first === title
    return make(
      'div',
      { class: 'page-head', 'aria-hidden': 'true' },
      ...(isTold ? [] : [make('span', { class: 'page-title', dir: 'auto' }, ...makeTitle(title, words))]),
      isFile
        ? make('span', { class: 'file' }, texts.search.file)
        : make('bdi', { class: 'path' }, toReadablePath(page)),
    )
  }

  function makeOption(result: RankedResult, words: string[]): HTMLElement {
    const option = make('a', {
      href: readWebAddress(result.url),
      role: 'option',
      class: 'result',
      part: 'result',
      tabindex: -1,
      'aria-selected': 'false',
      click: (event: MouseEvent) => onOpen(result, event),
      auxclick: (event: MouseEvent) => event.button === 1 && onOpen(result, event),
    })
    waiting.push(() =>
      option.append(
        make(
          'span',
          { class: 'title', part: 'title', dir: 'auto' },
          ...makeTitle(result.title || result.page_title, words),
        ),
        make('div', { class: 'fragment' }, ...makeFragment(readExcerpt(result), words)),
        ...(describe ? [make('div', { class: 'quiet' }, describe(result))] : []),
      ),
    )
    return option
  }

  return {
    element: make('div', {}, list, end),
    update({ groups, answered, active, phase, opensFirst }) {
      const isNew = groups !== drawn
      if (isNew) draw(groups, readWords(answered))
      if (chosen !== links[active]) {
        if (chosen) chosen.ariaSelected = 'false'
        chosen = links[active]
        if (chosen) chosen.ariaSelected = 'true'
        if (chosen) reveal(revealFrames)
      }
      if (isNew && phase === 'done' && opensFirst) links[0]?.click()
    },
    destroy() {
      clearTimeout(timer)
      observer.disconnect()
    },
  }
}

/** `30 best results on 12 pages` where there may be more than are shown; read out when it changes. */
export function createResultCount(texts: Texts): SearchPart {
  const { bestCount, resultCount, pageCount, count, nothing } = texts.search
  const found = make('p', { class: 'count', part: 'count', id: 'count', role: 'status', dir: 'auto' })
  const none = make('p', { class: 'unseen', role: 'status' })

  function describe(results: number, pages: number): string {
    if (results === 0) return ''
    return fill(count, {
      results: texts.plural(isLimit(results) ? bestCount : resultCount, results),
      pages: texts.plural(pageCount, pages),
    })
  }

  return {
    element: make('div', {}, found, none),
    update({ groups, phase, answered }) {
      const results = countResults(groups)
      say(found, describe(results, countPages(groups)))
      say(none, phase === 'done' && results === 0 ? fill(nothing, { query: answered }) : '')
    },
  }
}

/** What is said twice in a row is said once. */
function say(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
}
