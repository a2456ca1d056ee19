// Cases of the store's contract by name, and the rows that they use. Every case starts with an empty store.
import assert from 'node:assert/strict'
import { Conflict } from '../../services/errors.ts'
import type { Settlement } from '../../services/store/frontier.ts'
import type { Page, PageContent, Publication } from '../../services/store/page.ts'
import type { Project } from '../../services/store/project.ts'
import type { Recrawl } from '../../services/store/recrawl.ts'
import type { Run, RunEvent } from '../../services/store/run.ts'
import type { Source } from '../../services/store/source.ts'
import type { Store } from '../../services/store/store.ts'
import type { Key } from '../../services/store/team.ts'

export type StoreCases = Record<string, (store: Store) => Promise<void>>

/** The n-th minute of the tests' day. */
export const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2, 0, minute)).toISOString()

export const url = (path: string): string => `https://docs.test/${path}`

export const uuidsIn = (rows: { uuid: string }[]): string[] => rows.map(({ uuid }) => uuid)

export const whole = { offset: 0, limit: 100 }

export const project = (uuid = 'p1', change: Partial<Project> = {}): Project => ({
  uuid,
  team: 't1',
  slug: `slug-${uuid}`,
  name: 'Project',
  isPrivate: false,
  whitelabel: true,
  allowedDomains: ['*.example.com'],
  config: {
    chat: { initialMessage: null, suggestedQuestions: ['Why?'], thinkMode: false, actions: [] },
    search: { filters: [{ title: 'All', url: '.*', position: 1 }] },
    mcp: { enabled: false, serverName: null, metadataTag: null },
    prompt: { useDefault: true, version: 'v3', extend: null },
    sync: { schedule: null },
    retentionDays: null,
  },
  createdAt: at(0),
  updatedAt: at(0),
  revision: 1,
  indexedAt: null,
  ...change,
})

export const source = (uuid = 's1', change: Partial<Source> = {}): Source => ({
  uuid,
  team: 't1',
  project: 'p1',
  type: 'site',
  name: 'Docs',
  url: url(uuid),
  identity: change.url ?? url(uuid),
  options: {},
  include: ['**/*.html'],
  exclude: [],
  maxPages: null,
  maxDepth: 3,
  resolvedUrl: null,
  credentials: null,
  createdAt: at(0),
  lastCrawledAt: null,
  state: 'pending',
  lastError: null,
  revision: 1,
  ...change,
})

export const run = (uuid = 'r1', change: Partial<Omit<Run, 'fence'>> = {}): Omit<Run, 'fence'> => ({
  uuid,
  project: 'p1',
  trigger: 'api',
  status: 'queued',
  createdAt: at(1),
  startedAt: null,
  finishedAt: null,
  error: null,
  supersededBy: null,
  sourcesFailed: 0,
  ...change,
})

export const key = (uuid = 'k1', change: Partial<Key> = {}): Key => ({
  uuid,
  team: 't1',
  name: 'Key',
  hash: `hash-${uuid}`,
  permissions: ['search'],
  projects: null,
  memberUuid: null,
  createdAt: at(0),
  expiresAt: null,
  lastUsedAt: null,
  signedInBy: null,
  ...change,
})

export const recrawl = (uuid = 'c1', change: Partial<Recrawl> = {}): Recrawl => ({
  uuid,
  project: 'p1',
  url: url('a'),
  status: 'queued',
  reason: null,
  detail: null,
  message: null,
  createdAt: at(0),
  finishedAt: null,
  ...change,
})

/** A page by its path: `a` is at docs.test/a with the uuid `page-a`. */
export const page = (path: string, change: Partial<Page> = {}): Page => ({
  uuid: `page-${path}`,
  project: 'p1',
  url: url(path),
  sources: ['s1'],
  pinned: false,
  version: 10,
  fetchedAt: at(2),
  contentHash: `hash-${path}`,
  pipeline: 'x1.a1',
  etag: null,
  lastModified: null,
  title: path,
  language: null,
  docVersion: null,
  sourceType: 'site',
  heldBy: null,
  ...change,
})

export const content = (text: string): PageContent => ({
  title: text,
  language: 'en',
  docVersion: null,
  boost: 1,
  keywords: [],
  sections: [{ kind: 'heading', anchor: 'a', heading: 'H', path: [], blocks: [{ kind: 'paragraph', text }] }],
  links: [url('next')],
})

export const publication = (path: string, change: Partial<Page> = {}): Publication => ({
  page: page(path, change),
  content: content(`${path} ${change.version ?? 10}`),
})

export const event = (id: string, change: Partial<RunEvent> = {}): RunEvent => ({
  id,
  at: at(3),
  level: 'info',
  type: 'page_added',
  url: url(id),
  sourceUuid: 's1',
  reason: null,
  message: `Added ${id}.`,
  ...change,
})

export const settlement = (path: string, change: Partial<Settlement> = {}): Settlement => ({
  source: 's1',
  url: url(path),
  outcome: 'added',
  reason: null,
  deferred: false,
  fetched: true,
  event: null,
  ...change,
})

export const listing = (path: string, source = 's1', depth = 1) => ({ source, url: url(path), depth })

/** A project with the sources s1 and s2. */
export const withProject = async (store: Store): Promise<void> => {
  await store.projects.insert(project())
  await store.sources.insert(source('s1'))
  await store.sources.insert(source('s2', { createdAt: at(1) }))
}

/** The same with the live run r1; returns its fence. */
export const withRun = async (store: Store): Promise<number> => {
  await withProject(store)
  const begun = await store.runs.begin(run())
  assert(begun !== null)
  await store.runs.start('r1', at(2))
  return begun.run.fence
}

export const assertConflict = async (work: Promise<unknown>, field: string): Promise<void> => {
  await assert.rejects(work, (error) => error instanceof Conflict && error.field === field)
}
