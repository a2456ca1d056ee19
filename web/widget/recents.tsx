// Pages that the reader opened from the search: kept in the browser alone, never sent.
import { readWebAddress } from '../components/addresses.ts'
import { createStore, type Store, useStore } from '../components/store.ts'
import { useTexts } from '../components/texts.ts'

export interface Recent {
  title: string
  page: string
  url: string
}

export interface Recents {
  list: Store<Recent[]>
  add(recent: Recent): void
  clear(): void
}

const max = 6

/** `remembers`: whether anything is read from and written to the browser's storage. */
export function createRecents(project: string, remembers: boolean): Recents {
  const name = `lectern-recent:${project}`
  const list = createStore(remembers ? read(name) : [])
  const write = (next: Recent[]) => {
    list.value = next
    try {
      if (next.length > 0) localStorage.setItem(name, JSON.stringify(next))
      else localStorage.removeItem(name)
    } catch {
      // Full, or closed to this page.
    }
  }
  return {
    list,
    add(recent) {
      if (remembers) write([recent, ...list.value.filter(({ url }) => url !== recent.url)].slice(0, max))
    },
    clear: () => write([]),
  }
}

/** Other scripts of the page may have written there. */
function read(name: string): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    if (!Array.isArray(stored)) return []
    const isRecent = (each: unknown): each is Recent =>
      ['title', 'page', 'url'].every(
        (key) => typeof (each as Record<string, unknown> | null)?.[key] === 'string',
      )
    return stored.filter(isRecent).slice(0, max)
  } catch {
    return []
  }
}

export function RecentList({ recents }: { recents: Recents }) {
  const texts = useTexts()
  const shown = useStore(recents.list).filter(({ url }) => readWebAddress(url))
  if (shown.length === 0) return <p class="hint">{texts.search.hint}</p>
  return (
    <section class="recents" aria-labelledby="recents">
      <div class="recents-head">
        <h2 id="recents">{texts.search.recent}</h2>
        <button type="button" class="plain" onClick={() => recents.clear()}>
          {texts.search.forget}
        </button>
      </div>
      <ul>
        {shown.map(({ title, page, url }) => (
          <li key={url}>
            <a class="result" href={url}>
              <span class="title" dir="auto">
                {title}
              </span>
              {page !== title && (
                <span class="path" dir="auto">
                  {page}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
