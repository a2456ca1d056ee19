// The sources of a project, for screens that name them or let one be chosen.
import type { List, Source } from './rows.ts'
import { api, may } from './session.ts'

const pageSize = 100

export const projectPath = (slug: string, rest = '') => `projects/${encodeURIComponent(slug)}/${rest}`

/** All of them; none where the key may not read them. */
export async function readSources(slug: string, signal?: AbortSignal): Promise<Source[]> {
  if (!may('sources_read')) return []
  const all: Source[] = []
  for (;;) {
    const page = { limit: pageSize, offset: all.length }
    const { count, results } = await api.get<List<Source>>(projectPath(slug, 'sources/'), page, signal)
    all.push(...results)
    if (results.length === 0 || all.length >= count) return all
  }
}
