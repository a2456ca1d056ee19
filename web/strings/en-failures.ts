// The texts of failures in English; see en.ts.
import type { Translated } from './en.ts'

export const strings = {
  failures: {
    again: 'Try again',
    offline: 'You are offline',
    noAnswer: 'The server does not answer',
    offlineHint: 'The search continues when the connection is back.',
    mixed: 'This page cannot connect to {host}',
    mixedHint: 'The page is loaded over https, and the server’s address begins with http.',
    privateNetwork: 'The browser blocks connections from this page to {host}',
    privateNetworkHint:
      'The address is in a private network. Allow this site to connect to it, then try again.',
    private: 'This project is private',
    privateHint: 'Searching it needs an API key with the permission “search”.',
    badKey: 'This key is not accepted',
    badKeyHint: 'It is unknown, revoked or expired. Enter another one.',
    permission: 'This key may not search here',
    permissionHint: 'It lacks the permission “search”, or is limited to other projects.',
    domain: 'Questions from this site are not allowed',
    domainHint: 'The site is not one of the project’s allowed domains.',
    unknown: 'There is no project “{project}” here',
    unknownHint: 'It may have been renamed or deleted.',
    invalid: 'This search is not valid',
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

export type FailureStrings = Translated<typeof strings>['failures']
