// Describes failures. Most readers never see one, so the widget loads this file with the first failure.
import { strings as english, type FailureStrings } from '../strings/en-failures.ts'
import type { ApiFailure } from './api.ts'
import { type Child, make } from './make.ts'
import { fill, mergeStrings, type Texts } from './texts.ts'

export interface FailureProps {
  texts: Texts
  failure: ApiFailure
  /** Address of the Lectern server. */
  server: string
  /** The project's name in the page, such as its slug. */
  project: string
  /** Whether a key was sent and refused. */
  hasKey: boolean
  onAgain(): void
  /** If absent, the reader is not asked for a key. */
  onKey?(key: string): void
}

export function makeFailure(props: FailureProps): Child[] {
  const { onAgain, onKey } = props
  const strings = readStrings(props.texts)
  const { title, hint, offers } = describeFailure(strings, props)
  return [
    make('h2', {}, title),
    ...(hint === '' ? [] : [make('p', { dir: 'auto' }, hint)]),
    ...(offers === 'again'
      ? [make('button', { type: 'button', class: 'action', click: onAgain }, strings.again)]
      : []),
    ...(offers === 'key' && onKey ? makeKeyForm(strings, onKey) : []),
  ]
}

function readStrings({ strings, own }: Texts): FailureStrings {
  return mergeStrings({ failures: strings.failures ?? english.failures }, own).failures
}

interface Description {
  title: string
  hint: string
  /** What may help: a retry, or a key. */
  offers?: 'again' | 'key'
}

/** Title and hint of each kind of failure. */
function describeFailure(failures: FailureStrings, props: FailureProps): Description {
  const { texts, project, hasKey } = props
  const { kind, message, retryAfter } = props.failure
  const seconds = retryAfter === null ? failures.busyHint : texts.plural(failures.busySeconds, retryAfter)
  const byKind: Record<ApiFailure['kind'], Description> = {
    offline: describeSilence(failures, new URL(props.server)),
    key: hasKey
      ? { title: failures.badKey, hint: failures.badKeyHint, offers: 'key' }
      : { title: failures.private, hint: failures.privateHint, offers: 'key' },
    permission: { title: failures.permission, hint: failures.permissionHint, offers: 'key' },
    domain: { title: failures.domain, hint: failures.domainHint },
    unknown: { title: fill(failures.unknown, { project }), hint: failures.unknownHint },
    invalid: { title: failures.invalid, hint: message },
    busy: { title: failures.busy, hint: seconds, offers: 'again' },
    away: { title: failures.away, hint: failures.awayHint, offers: 'again' },
    server: { title: failures.server, hint: message, offers: 'again' },
  }
  return byKind[kind]
}

/** Why the server did not respond, as far as a page can tell. */
function describeSilence(failures: FailureStrings, { protocol, host, hostname }: URL): Description {
  const values = { host }
  if (location.protocol === 'https:' && protocol === 'http:')
    return { title: fill(failures.mixed, values), hint: failures.mixedHint }
  // Chrome asks the reader for permission before a public page may call an address in a private network.
  if (navigator.onLine && isPrivate(hostname) && !isPrivate(location.hostname))
    return {
      title: fill(failures.privateNetwork, values),
      hint: failures.privateNetworkHint,
      offers: 'again',
    }
  // The search continues by itself only after the browser was offline.
  return navigator.onLine
    ? { title: failures.noAnswer, hint: failures.awayHint, offers: 'again' }
    : { title: failures.offline, hint: failures.offlineHint, offers: 'again' }
}

function isPrivate(host: string): boolean {
  return /^(?:localhost$|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[(?:::1\]|f[cd]|fe80))/.test(
    host,
  )
}

function makeKeyForm(strings: FailureStrings, onKey: (key: string) => void): Child[] {
  const input = make('input', {
    type: 'password',
    autocomplete: 'off',
    required: true,
    placeholder: 'lec_…',
    'aria-label': strings.key,
  })
  const submit = (event: Event) => {
    event.preventDefault()
    onKey(input.value)
  }
  return [
    make(
      'form',
      { class: 'key', submit },
      input,
      make('button', { type: 'submit', class: 'action' }, strings.useKey),
    ),
    make('p', { class: 'quiet' }, strings.keyHint),
  ]
}
