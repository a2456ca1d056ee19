// A project is one document, in which the drivers of runs and pages keep what must change together with it. Deleting it
// leaves a tombstone: from that one change on, nothing of the project is in any answer, and cleanup.ts takes away the rest.
import type { Project } from '../project.ts'
import type { MongoDb } from './connection.ts'
import type { Stored } from './row.ts'

export interface ProjectRow extends Stored<Project> {
  state: 'open'
}

/** What a project leaves, until everything of it is cleared. Its slug is none that a project can have. */
export interface ProjectTombstone {
  _id: string
  state: 'gone'
  slug: string
  /** Milliseconds since 1970. */
  goneAt: number
}

/** Those of the projects that are there. */
export async function openProjects(db: MongoDb, uuids: string[]): Promise<Set<string>> {
  const rows = await db
    .collection<ProjectRow>('projects')
    .find({ _id: { $in: uuids } }, { projection: { state: 1 } })
    .toArray()
  return new Set(rows.filter((row) => row.state === 'open').map((row) => row._id))
}

/** Whether the project is there: what names it in another collection counts only while it is. */
export async function openProject(db: MongoDb, uuid: string): Promise<boolean> {
  return (await openProjects(db, [uuid])).has(uuid)
}

/** The port's fields only: the document has more. */
export function toProject(row: ProjectRow): Project {
  return {
    uuid: row._id,
    team: row.team,
    slug: row.slug,
    name: row.name,
    isPrivate: row.isPrivate,
    whitelabel: row.whitelabel,
    allowedDomains: row.allowedDomains,
    config: row.config,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    revision: row.revision,
    indexedAt: row.indexedAt,
  }
}

export const fromProject = ({ uuid, ...rest }: Project): ProjectRow => ({ _id: uuid, state: 'open', ...rest })
