// The sources of a project, for screens that name or choose one.
import { readAll } from './load.ts'
import type { Source } from './rows.ts'
import { may } from './session.ts'

export const projectPath = (slug: string, rest = '') => `projects/${encodeURIComponent(slug)}/${rest}`

/** All sources. Empty without the permission to read them. */
export async function readSources(slug: string, signal?: AbortSignal): Promise<Source[]> {
  return may('sources_read') ? readAll<Source>(projectPath(slug, 'sources/'), {}, signal) : []
}
