// The text in place of results: before the first query, if nothing was found, and after a failure.
import type { ApiFailure } from './api.ts'
import { type Child, make } from './make.ts'
import type { Search, SearchPart } from './search.ts'
import type { SearchState } from './search-state.ts'
import { fill, type Texts } from './texts.ts'

export interface SearchNoticeOptions {
  search: Search
  texts: Texts
  /** A failure outside the search, such as of reading the project. */
  readFailure(): ApiFailure | null
  /** Describes the failure, see failure.ts. */
  describe(failure: ApiFailure): Child[]
  /** Content before the first query. */
  welcome(): Child[]
}

export interface SearchNotice extends SearchPart {
  /** Redraws after a change outside the search. */
  redraw(): void
}

export function createSearchNotice(options: SearchNoticeOptions): SearchNotice {
  const { search, texts, readFailure, describe, welcome } = options
  const element = make('div', { part: 'notice', id: 'notice' })
  let drawn: unknown

  function update(state: SearchState) {
    const { phase, groups, answered } = state
    // A pending search keeps the last notice.
    const failure = state.failure ?? (phase === 'idle' ? readFailure() : null)
    const isNothing = answered !== '' && groups.length === 0
    const content = failure ?? (isNothing ? groups : answered === '' && 'welcome')
    if (content === drawn) return
    drawn = content
    const hadFocus = element.matches(':focus-within')
    element.className = failure ? 'notice trouble' : 'notice'
    element.hidden = content === false
    element.replaceChildren(
      ...(failure
        ? [make('div', { role: 'alert' }, ...describe(failure))]
        : isNothing
          ? makeNothing(state)
          : content
            ? welcome()
            : []),
    )
    if (hadFocus) element.querySelector('button')?.focus()
  }

  function makeNothing({ answered, filter, query }: SearchState): Child[] {
    const { nothing, tryFewer, tryName, tryLater, searchOutside } = texts.search
    const outside = make(
      'button',
      { type: 'button', class: 'action', click: () => void search.ask(query, '') },
      fill(searchOutside, { filter }),
    )
    return [
      make('h2', {}, fill(nothing, { query: answered })),
      make('ul', {}, ...[tryFewer, tryName, tryLater].map((each) => make('li', {}, each))),
      ...(filter === '' ? [] : [outside]),
    ]
  }

  return {
    element,
    update,
    redraw() {
      drawn = undefined
      update(search.state.value)
    },
  }
}

/** Questions or queries to choose from. */
export function makeChoices(choices: string[], label: string, onChoose: (choice: string) => void): Child[] {
  const items = choices.map((choice) =>
    make(
      'li',
      {},
      make(
        'button',
        { type: 'button', class: 'suggestion', dir: 'auto', click: () => onChoose(choice) },
        choice,
      ),
    ),
  )
  if (items.length === 0) return []
  return [make('ul', { class: 'suggestions', part: 'suggestions', 'aria-label': label }, ...items)]
}
