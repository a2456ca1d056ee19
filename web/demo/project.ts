// The project's data for the demo page: its name, the options for readers, and the state of the index.
import { type Api, ApiFailure, readText } from '../components/api.ts'
import { createStore } from '../components/store.ts'
import type { ChatAction } from '../components/turn-view.tsx'

export interface Run {
  status: string
  finished_at: string | null
}

export interface Share {
  done: number
  total: number
}

export interface Project {
  name: string
  whitelabel: boolean
  lastSync: Run | null
  /** Null if no section waits to be embedded. */
  embedding: Share | null
  filters: string[]
  initialMessage: string | null
  suggestedQuestions: string[]
  thinkMode: boolean
  actions: ChatAction[]
}

const embeddingIntervalMs = 15_000

export function createProjectReader(api: Pick<Api, 'call'>, hasKey: () => boolean) {
  const project = createStore<Project | null>(null)
  const failure = createStore<ApiFailure | null>(null)

  async function read() {
    try {
      project.value = toProject(await api.call(''))
      failure.value = null
      watchEmbedding()
    } catch (cause) {
      if (!(cause instanceof ApiFailure)) throw cause
      // A key may have the permission to search, but not to read the project's settings.
      failure.value = cause.kind === 'permission' && hasKey() ? null : cause
    }
  }

  /** Polls the share while sections wait to be embedded. Keeps the last share if a request fails. */
  function watchEmbedding() {
    if (!project.value?.embedding) return
    setTimeout(async () => {
      const next = await api.call('').catch(() => null)
      if (next === null) return
      project.value = toProject(next)
      watchEmbedding()
    }, embeddingIntervalMs)
  }

  return { project, failure, read }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the server, each field read by its own reader
function toProject(json: any): Project {
  const chat = json?.config?.chat ?? {}
  const texts = (list: unknown): string[] => (Array.isArray(list) ? list.map(readText).filter(Boolean) : [])
  return {
    name: readText(json?.name),
    whitelabel: json?.whitelabel === true,
    lastSync: json?.last_sync ?? null,
    embedding: json?.embedding ?? null,
    filters: texts((json?.config?.search?.filters ?? []).map(({ title }: { title: unknown }) => title)),
    initialMessage: readText(chat.initial_message) || null,
    suggestedQuestions: texts(chat.suggested_questions),
    thinkMode: chat.think_mode === true,
    actions: (chat.actions ?? []).map((action: Record<string, unknown>) => ({
      name: readText(action.name),
      button_text: readText(action.button_text),
      url: readText(action.url),
    })),
  }
}

/** Describes the state of the index by the latest run. */
export function describeSync(run: Run | null, slug: string, now: number): string | null {
  if (!run) return `Nothing has been read yet. Start with: lectern sync ${slug}`
  if (run.status === 'queued' || run.status === 'running') {
    return 'The pages are being read now; what has been read can be found already.'
  }
  const ended = run.finished_at ? ` ${toTimeAgo(Date.parse(run.finished_at), now)}` : ''
  const sentences: Record<string, string> = {
    completed: `Last read${ended}.`,
    failed: `The last sync failed${ended}; what was read before can be found.`,
    cancelled: `The last sync was stopped${ended}; what was read until then can be found.`,
  }
  return sentences[run.status] ?? null
}

/** Shown while sections wait to be embedded, which are only found by words. Never rounds up to 100 %. */
export function describeEmbedding({ done, total }: Share): string {
  if (done === 0) return 'Search by meaning is being prepared; until then, sections are found by words only.'
  const share = Math.floor((100 * done) / total)
  return `${share} % of the sections can be found by meaning so far, the others by words only.`
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

function toTimeAgo(then: number, now: number): string {
  const [unit, length] = units.find(([, milliseconds]) => now - then >= milliseconds) ?? []
  if (!unit || !length) return 'just now'
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
    -Math.floor((now - then) / length),
    unit,
  )
}
