// The English texts of search. en-ask.ts has those of ask, and en-failures.ts those of failures, which are loaded with them. Files
// of other languages have all texts.
// `{name}` is a placeholder. Plural forms have the names of Intl.PluralRules.
export const strings = {
  search: {
    label: 'Search the documentation',
    recent: 'Opened before',
    searched: 'Searched before',
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

/** Plural form, named as in Intl.PluralRules → text. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>
export type Translated<T> = {
  [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends { other: string }
      ? Plural
      : Translated<T[Key]>
}
export type SearchStrings = Translated<typeof strings>
