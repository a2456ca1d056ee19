// The number of results, and their list: a listbox whose options are links, grouped by page (ARIA combobox pattern).
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { readWebAddress, toReadablePath } from './addresses.ts'
import { readExcerpt } from './excerpt.ts'
import { readWords } from './highlight.ts'
import { Fragment, ResultTitle } from './result-text.tsx'
import type { Search } from './search.ts'
import { findResult } from './search-field.tsx'
import { countPages, countResults, isLimit, type PageGroup, type RankedResult } from './search-state.ts'
import { useStore } from './store.ts'
import { fill, useTexts } from './texts.ts'

export interface ResultListProps {
  search: Search
  /** Hears of every result that a reader opens. */
  onOpen(result: RankedResult, event: MouseEvent): void
}

export function ResultList({ search, onOpen }: ResultListProps) {
  const texts = useTexts()
  const { groups, answered, active, asked, phase, opensFirst } = useStore(search.state)
  const list = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (phase === 'done' && opensFirst) findResult(list.current, 0)?.click()
  }, [asked, phase])

  useEffect(() => {
    findResult(list.current, active)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  // Loads more when the reader comes near the end. Observing anew reports the end of a short list, too.
  useEffect(() => {
    if (!end.current || groups.length === 0) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void search.loadMore(), {
      rootMargin: '0px 0px 300px',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [groups])

  const words = useMemo(() => readWords(answered), [answered])
  let index = 0
  return (
    <>
      <div
        class="results"
        part="results"
        id="results"
        role="listbox"
        aria-label={texts.search.results}
        hidden={groups.length === 0}
        ref={list}
      >
        {groups.map((group) => (
          <div
            role="group"
            class="page"
            aria-label={group.isFile ? fill(texts.search.fileGroup, { title: group.title }) : group.title}
          >
            <PageHead group={group} words={words} fileLabel={texts.search.file} />
            {group.results.map((result) => {
              const id = index++
              return <Option result={result} words={words} id={id} isActive={id === active} onOpen={onOpen} />
            })}
          </div>
        ))}
      </div>
      <div id="end" ref={end} />
    </>
  )
}

interface OptionProps extends Pick<ResultListProps, 'onOpen'> {
  result: RankedResult
  words: string[]
  id: number
  isActive: boolean
}

function Option({ result, words, id, isActive, onOpen }: OptionProps) {
  // The text is the costly part, and the same whichever result is chosen.
  const text = useMemo(
    () => (
      <>
        <span class="title" part="title" dir="auto">
          <ResultTitle title={result.title || result.page_title} words={words} />
        </span>
        <div class="fragment">
          <Fragment text={readExcerpt(result)} words={words} />
        </div>
      </>
    ),
    [result, words],
  )
  const address = readWebAddress(result.url)
  return (
    <a
      {...(address && { href: address })}
      role="option"
      id={`result-${id}`}
      class="result"
      part="result"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={(event) => onOpen(result, event)}
      onAuxClick={(event) => event.button === 1 && onOpen(result, event)}
    >
      {text}
    </a>
  )
}

/** Title and address of a page; the title is left out where its first result says the same. */
function PageHead({ group, words, fileLabel }: { group: PageGroup; words: string[]; fileLabel: string }) {
  const { page, title, isFile, results } = group
  const first = results[0]?.title
  return (
    <div class="page-head" aria-hidden="true">
      {first && first !== title && (
        <span class="page-title" dir="auto">
          <ResultTitle title={title} words={words} />
        </span>
      )}
      {isFile ? <span class="file">{fileLabel}</span> : <bdi class="path">{toReadablePath(page)}</bdi>}
    </div>
  )
}

/** `30 best results on 12 pages` where there may be more than are shown; read out when it changes. */
export function ResultCount({ search }: { search: Search }) {
  const texts = useTexts()
  const { groups, phase, answered } = useStore(search.state)
  const shown = useRef('')
  const results = countResults(groups)
  // What was found stays until there is something new to say.
  if (phase !== 'searching') shown.current = results === 0 ? '' : sentence()

  function sentence() {
    const { bestCount, resultCount, pageCount, count } = texts.search
    return fill(count, {
      results: texts.plural(isLimit(results) ? bestCount : resultCount, results),
      pages: texts.plural(pageCount, countPages(groups)),
    })
  }

  const nothing = phase === 'done' && results === 0 ? fill(texts.search.nothing, { query: answered }) : ''
  return (
    <>
      <p class="count" part="count" id="count" role="status">
        {shown.current}
      </p>
      <p class="unseen" role="status">
        {nothing}
      </p>
    </>
  )
}
