// What stands in place of results: before the first query, when nothing was found, when something went wrong.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiFailure } from './api.ts'
import type { Search } from './search.ts'
import { useStore } from './store.ts'
import { fill, type Texts, useTexts } from './texts.ts'

export interface SearchNoticeProps {
  search: Search
  /** As the page names it, such as the slug. */
  project: string
  /** A failure that is not the search's, such as that of reading the project. */
  failure?: ApiFailure | null
  /** Whether a key was given that was then refused. */
  hasKey?: boolean
  onAgain(): void
  /** Without it, no key is asked for. */
  onKey?(key: string): void
  /** What is shown before the first query. */
  children?: ComponentChildren
}

export function SearchNotice(props: SearchNoticeProps) {
  const { search, project, hasKey = false, onAgain, onKey, children } = props
  const texts = useTexts()
  // While a search is under way, what was said before it stays.
  const { phase, groups, query, answered, filter, failure: own } = useStore(search.state)
  const failure = own ?? (phase === 'idle' ? props.failure : null)
  const isNothing = answered !== '' && groups.length === 0
  const isIdle = answered === '' && children !== undefined
  const shows = failure || isNothing || isIdle
  return (
    <div class={failure ? 'notice trouble' : 'notice'} part="notice" id="notice" hidden={!shows}>
      {failure ? (
        <Failure
          texts={texts}
          failure={failure}
          project={project}
          hasKey={hasKey}
          onAgain={onAgain}
          onKey={onKey}
        />
      ) : isNothing ? (
        <>
          <h2>{fill(texts.search.nothing, { query: answered })}</h2>
          <ul>
            <li>{texts.search.tryFewer}</li>
            <li>{texts.search.tryName}</li>
            <li>{texts.search.tryLater}</li>
          </ul>
          {filter !== '' && (
            <button type="button" class="action" onClick={() => void search.ask(query, '')}>
              {fill(texts.search.searchOutside, { filter })}
            </button>
          )}
        </>
      ) : (
        isIdle && children
      )}
    </div>
  )
}

interface FailureProps extends Required<Pick<SearchNoticeProps, 'project' | 'hasKey' | 'onAgain'>> {
  texts: Texts
  failure: ApiFailure
  onKey: ((key: string) => void) | undefined
}

function Failure({ texts, failure, project, hasKey, onAgain, onKey }: FailureProps) {
  const { title, hint, offers } = describeFailure(texts, failure, project, hasKey)
  return (
    <div role="alert">
      <h2>{title}</h2>
      {hint !== '' && <p dir="auto">{hint}</p>}
      {offers === 'again' && (
        <button type="button" class="action" onClick={onAgain}>
          {texts.failures.again}
        </button>
      )}
      {offers === 'key' && onKey && <KeyForm onKey={onKey} />}
    </div>
  )
}

interface Description {
  title: string
  hint: string
  /** What may help: another try, or a key. */
  offers?: 'again' | 'key'
}

/** Each kind of failure in words. */
export function describeFailure(
  texts: Texts,
  { kind, message, retryAfter }: ApiFailure,
  project: string,
  hasKey: boolean,
): Description {
  const { failures } = texts
  const seconds = retryAfter === null ? failures.busyHint : texts.plural(failures.busySeconds, retryAfter)
  const byKind: Record<ApiFailure['kind'], Description> = {
    offline: {
      title: navigator.onLine ? failures.noAnswer : failures.offline,
      hint: failures.offlineHint,
      offers: 'again',
    },
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

function KeyForm({ onKey }: { onKey(key: string): void }) {
  const { failures } = useTexts()
  const [key, setKey] = useState('')
  return (
    <div>
      <form
        class="key"
        onSubmit={(event) => {
          event.preventDefault()
          onKey(key)
        }}
      >
        <input
          type="password"
          autocomplete="off"
          required
          placeholder="lec_…"
          aria-label={failures.key}
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button type="submit" class="action">
          {failures.useKey}
        </button>
      </form>
      <p class="quiet">{failures.keyHint}</p>
    </div>
  )
}
