// Projects.
//
// A project is one document, in which the drivers of runs and pages keep what must change together with it. Deleting it
// leaves a tombstone: from that one change on, nothing of the project is in any answer, and remains.ts clears it.
import type { Filter } from 'mongodb'
import type { Project, ProjectStore } from '../project.ts'
import type { MongoDb } from './connection.ts'
import type { Remains } from './remains.ts'
import { insertOnce, type Kept } from './row.ts'

export interface ProjectRow extends Kept<Project> {
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
export const openProjects = async (db: MongoDb, uuids: string[]): Promise<Set<string>> => {
  const rows = await db
    .collection<ProjectRow>('projects')
    .find({ _id: { $in: uuids } }, { projection: { state: 1 } })
    .toArray()
  return new Set(rows.filter((row) => row.state === 'open').map((row) => row._id))
}

/** Whether the project is there: what names it in another collection counts only while it is. */
export const openProject = async (db: MongoDb, uuid: string): Promise<boolean> =>
  (await openProjects(db, [uuid])).has(uuid)

/** What `update` writes. */
const changeable = ({
  name,
  isPrivate,
  whitelabel,
  allowedDomains,
  config,
  updatedAt,
  revision,
}: Project) => ({
  name,
  isPrivate,
  whitelabel,
  allowedDomains,
  config,
  updatedAt,
  revision,
})

/** The port's fields only: the document has more. */
const toProject = (row: ProjectRow): Project => ({
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
})

const fromProject = ({ uuid, ...rest }: Project): ProjectRow => ({ _id: uuid, state: 'open', ...rest })

export const createProjects = (db: MongoDb, remains: Remains): ProjectStore => {
  const projects = db.collection<ProjectRow>('projects')
  const tombstones = db.collection<ProjectRow | ProjectTombstone>('projects')
  const one = async (filter: Filter<ProjectRow>): Promise<Project | null> => {
    const row = await projects.findOne(filter)
    return row?.state === 'open' ? toProject(row) : null
  }
  const byUuid = async (filter: Filter<ProjectRow>): Promise<Project[]> =>
    (
      await projects
        .find({ state: 'open', ...filter })
        .sort({ _id: 1 })
        .toArray()
    ).map(toProject)

  return {
    insert: async (project) => {
      await insertOnce(projects, fromProject(project), 'slug')
    },
    bySlug: (slug) => one({ slug }),
    byUuid: (uuid) => one({ _id: uuid }),
    list: async (team, only, { offset, limit }) => {
      const filter: Filter<ProjectRow> = { team, ...(only && { _id: { $in: only } }) }
      const bySlug = projects.find(filter).sort({ slug: 1 })
      return {
        count: await projects.countDocuments(filter),
        rows: (await bySlug.skip(offset).limit(limit).toArray()).map(toProject),
      }
    },
    scheduled: () => byUuid({ 'config.sync.schedule': { $ne: null } }),
    retaining: () => byUuid({ 'config.retentionDays': { $ne: null } }),
    update: async (project) => {
      const before = { _id: project.uuid, state: 'open', revision: project.revision - 1 } as const
      return (await projects.updateOne(before, { $set: changeable(project) })).matchedCount > 0
    },
    delete: async (uuid) => {
      const tombstone = { state: 'gone', slug: `gone/${uuid}`, goneAt: remains.now() } as const
      const { matchedCount } = await tombstones.replaceOne({ _id: uuid, state: 'open' }, tombstone)
      if (matchedCount > 0) remains.clearSoon()
      return matchedCount > 0
    },
  }
}
