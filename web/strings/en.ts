// The texts of search in English; en-ask.ts has those of ask, and en-failures.ts those of failures, which come with them. The
// other languages have all of them.
// `{name}` is filled in; forms by number have the names of Intl.PluralRules.
export const strings = {
  search: {
    label: 'Search the documentation',
    recent: 'Opened before',
    forget: 'Forget',
    clear: 'Clear the search',
    shortcut: 'Press / or Ctrl K to search',
    hint: 'Type words, a question, or the name of a function or setting.',
    ask: 'Ask a question',
    askWith: 'Ask: {query}',
    suggestions: 'Suggested questions',
    close: 'Close',
    powered: 'Powered by {name}',
    results: 'Results',
    filters: 'Show only',
    everything: 'Everything',
    file: 'Uploaded file',
    fileGroup: '{title}, uploaded file',
    resultCount: { one: '{n} result', other: '{n} results' },
    bestCount: { one: '{n} best result', other: '{n} best results' },
    pageCount: { one: '{n} page', other: '{n} pages' },
    count: '{results} on {pages}',
    nothing: 'Nothing found for “{query}”',
    tryFewer: 'Try fewer words, or more general ones.',
    tryName: 'Try the name of a function, option or setting, or its beginning.',
    tryLater: 'The page may be new: it is found after the next sync.',
    searchOutside: 'Search outside “{filter}” too',
  },
  keys: {
    choose: 'choose',
    open: 'open',
    openAside: 'in a new tab',
    ask: 'ask',
    clear: 'clear',
    close: 'close',
  },
}

/** A text for each form of a number, by the names of Intl.PluralRules. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>
export type Translated<T> = {
  [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends { other: string }
      ? Plural
      : Translated<T[Key]>
}
export type SearchStrings = Translated<typeof strings>
