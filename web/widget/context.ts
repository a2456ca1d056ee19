// Shared by search and ask: the project's settings, the texts, and the API.
import { type Api, ApiFailure, createApi, readText } from '../components/api.ts'
import styles from '../components/common.css'
import { loadTexts, type PartialStrings, type Texts } from '../components/texts.ts'
import type { Host } from './host.ts'
import { readSettings, type Settings } from './settings.ts'

/** Response of `/widget-config/{slug}`. */
export interface WidgetConfig {
  slug: string
  name: string
  whitelabel: boolean
  filters: { title: string }[]
  initial_message: string | null
  suggested_questions: string[]
  think_mode: boolean
  actions: { name: string; button_text: string; url: string }[]
  mcp_enabled: boolean
  mcp_server_name: string | null
  languages: string[]
}

export interface Context {
  settings: Settings
  /** Empty if it could not be read, see `failure`. */
  config: WidgetConfig
  failure: ApiFailure | null
  texts: Texts
  api: Api
  /** Parameters of every search and question. Reads the current page, because a router can change its address. */
  readParameters(): Record<string, string>
}

const noConfig: WidgetConfig = {
  ...{ slug: '', name: '', whitelabel: false, filters: [], initial_message: null, suggested_questions: [] },
  ...{ think_mode: false, actions: [], mcp_enabled: false, mcp_server_name: null, languages: [] },
}

const contexts = new Map<string, Promise<Context>>()

/** Elements with the same attributes share a context. Never rejects. After a failure, the next call loads it again. */
export async function loadContext(host: Host): Promise<Context> {
  host.addStyles(styles)
  const settings = readSettings(host)
  const key = JSON.stringify({ ...settings, hidden: [...settings.hidden] })
  const loading = contexts.get(key) ?? createContext(settings)
  contexts.set(key, loading)
  const context = await loading
  const { failure } = context
  if (!failure) return context
  contexts.delete(key)
  host.emit('error', { code: failure.kind, message: failure.message })
  return context
}

async function createContext(settings: Settings): Promise<Context> {
  const [texts, read] = await Promise.all([
    loadTexts(settings.languages, settings.strings as PartialStrings),
    readConfig(settings),
  ])
  const config = read instanceof ApiFailure ? noConfig : read
  const failure = read instanceof ApiFailure ? read : null
  const readParameters = () => toParameters(settings, config)
  const api = createApi({
    server: settings.server,
    project: config.slug || settings.project,
    readKey: () => settings.key,
    searchParameters: () => ({
      ...readParameters(),
      ...(settings.scope === 'all' && { content_scope: 'all' }),
    }),
  })
  return { settings, config, failure, texts, api, readParameters }
}

async function readConfig({ server, project, key }: Settings): Promise<WidgetConfig | ApiFailure> {
  const { call } = createApi({ server, project, readKey: () => key })
  try {
    const answer = await call(new URL(`widget-config/${encodeURIComponent(project)}`, server).href)
    const config = { ...noConfig, ...(answer as Partial<WidgetConfig>) }
    return { ...config, name: readText(config.name) }
  } catch (failure) {
    return failure instanceof ApiFailure ? failure : new ApiFailure('server', String(failure))
  }
}

function toParameters({ version, language }: Settings, { languages }: WidgetConfig): Record<string, string> {
  const chosen = language ?? findLanguage(languages)
  return {
    url: location.href.slice(0, 4000),
    ...(version !== null && { version }),
    ...(chosen !== null && { language: chosen }),
  }
}

/** The language of the reader's page, if the project has pages in this and other languages. */
function findLanguage(languages: string[]): string | null {
  if (languages.length < 2) return null
  const page = document.documentElement.lang.toLowerCase()
  const [base] = page.split('-')
  return (
    languages.find((each) => each.toLowerCase() === page) ?? languages.find((each) => each === base) ?? null
  )
}
