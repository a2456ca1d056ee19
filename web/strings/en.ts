// The texts of search in English; en-ask.ts has those of ask, which come with it. The other languages have all of them.
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
    openAside: 'open in a new tab',
    ask: 'ask',
    clear: 'clear',
    close: 'close',
  },
  failures: {
    again: 'Try again',
    offline: 'You are offline',
    noAnswer: 'The server does not answer',
    offlineHint: 'The search goes on by itself as soon as there is a connection.',
    private: 'This project is private',
    privateHint: 'Searching it needs an API key with the permission “search”.',
    badKey: 'This key is not accepted',
    badKeyHint: 'It is unknown, revoked or expired. Give another one.',
    permission: 'This key may not search here',
    permissionHint: 'It lacks the permission “search”, or it is meant for other projects.',
    domain: 'Questions from this site are not allowed',
    domainHint: 'The site is not one of the project’s allowed domains.',
    unknown: 'There is no project “{project}” here',
    unknownHint: 'It may have been renamed or deleted.',
    invalid: 'This cannot be searched for',
    busy: 'Too many searches at once',
    busyHint: 'Wait a moment, then try again.',
    busySeconds: { one: 'Wait {n} second, then try again.', other: 'Wait {n} seconds, then try again.' },
    away: 'Search is temporarily unavailable.',
    awayHint: 'Try again in a moment.',
    server: 'The search failed',
    key: 'API key',
    useKey: 'Use this key',
    keyHint: 'It is kept in this tab only and forgotten when you close it.',
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
