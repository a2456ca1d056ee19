// The number of results, and the list: a listbox of links, grouped by page (ARIA combobox pattern).
import { readWebAddress, toReadablePath } from './addresses.ts'
import { readExcerpt } from './excerpt.ts'
import { readWords } from './highlight.ts'
import { make } from './make.ts'
import { makeFragment, makeTitle } from './result-text.ts'
import type { Search, SearchPart } from './search.ts'
import { countPages, countResults, isLimit, type PageGroup, type RankedResult } from './search-state.ts'
import { fill, type Texts } from './texts.ts'

/** Maximum milliseconds of a task that creates results. */
const maxTaskMs = 10
/** Frames until a result that is scrolled to has its final position: it and its neighbors are only then laid out. */
const revealFrames = 4

export interface ResultListOptions {
  search: Search
  texts: Texts
  /** Called for every result that a reader opens. */
  onOpen(result: RankedResult, event: MouseEvent): void
  /** Additional text of a result. */
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
  /** Groups that have elements. They keep them when more results arrive. */
  let made = new Set<PageGroup>()
  let links: HTMLElement[] = []
  let active = -1
  /** Pending work in order: groups of results without texts, then the texts of each. */
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
    // More results of the same query follow the existing ones.
    if (!made.has(groups[0]!)) {
      waiting = []
      links = []
      made = new Set()
      list.replaceChildren()
    }
    const added = groups.filter((group) => !made.has(group))
    waiting.push(...added.map((group) => () => addGroup(group, words)))
    list.hidden = groups.length === 0
    observer.disconnect()
    goOn()
  }

  /** Splits slow work into several tasks, so that keys are handled between them. */
  function goOn() {
    clearTimeout(timer)
    const until = performance.now() + maxTaskMs
    while (waiting.length > 0 && performance.now() < until) waiting.shift()!()
    mark()
    if (waiting.length > 0) timer = setTimeout(goOn)
    // Observing again also reports the end of a short list.
    else if (links.length > 0) observer.observe(end)
  }

  function addGroup(group: PageGroup, words: string[]) {
    const options = group.results.map((result) => makeOption(result))
    for (const [index, option] of options.entries()) option.id = `result-${links.length + index}`
    const fill = options.map((option, index) => () => fillOption(option, group.results[index]!, words))
    list.append(makeGroup(group, words, options))
    made.add(group)
    links.push(...options)
    waiting.unshift(...fill)
  }

  /** The chosen result may not have its element yet. */
  function mark() {
    if (chosen === links[active]) return
    if (chosen) chosen.ariaSelected = 'false'
    chosen = links[active]
    if (chosen) chosen.ariaSelected = 'true'
    if (chosen) reveal(revealFrames)
  }

  function reveal(frames: number) {
    chosen?.scrollIntoView({ block: 'nearest' })
    if (frames > 0) requestAnimationFrame(() => reveal(frames - 1))
  }

  function makeGroup(group: PageGroup, words: string[], options: HTMLElement[]): HTMLElement {
    const { title, isFile } = group
    const label = isFile ? fill(texts.search.fileGroup, { title }) : title
    return make(
      'div',
      { role: 'group', class: 'page', 'aria-label': label },
      makePageHead(group, words),
      ...options,
    )
  }

  /** Title and address of a page, without the title if its first result has the same. */
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

  function makeOption(result: RankedResult): HTMLElement {
    return make('a', {
      href: readWebAddress(result.url),
      role: 'option',
      class: 'result',
      part: 'result',
      tabindex: -1,
      'aria-selected': 'false',
      click: (event: MouseEvent) => onOpen(result, event),
      auxclick: (event: MouseEvent) => event.button === 1 && onOpen(result, event),
    })
  }

  function fillOption(option: HTMLElement, result: RankedResult, words: string[]) {
    option.append(
      make(
        'span',
        { class: 'title', part: 'title', dir: 'auto' },
        ...makeTitle(result.title || result.page_title, words),
      ),
      ...(result.headings.length > 0
        ? [make('div', { class: 'headings', dir: 'auto' }, result.headings.join(' › '))]
        : []),
      make('div', { class: 'fragment' }, ...makeFragment(readExcerpt(result), words)),
      ...(describe ? [make('div', { class: 'quiet' }, describe(result))] : []),
    )
  }

  return {
    element: make('div', {}, list, end),
    update({ groups, answered, active: now, phase, opensFirst }) {
      const isNew = groups !== drawn
      active = now
      if (isNew) draw(groups, readWords(answered))
      mark()
      if (isNew && phase === 'done' && opensFirst) links[0]?.click()
    },
    destroy() {
      clearTimeout(timer)
      observer.disconnect()
    },
  }
}

/** `30 best results on 12 pages` if there may be more than are shown. Screen readers announce changes. */
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

/** Does not repeat an announcement. */
function say(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
}
