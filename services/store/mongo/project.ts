import type { Filter } from 'mongodb'
import type { Project, ProjectStore } from '../project.ts'
import type { Cleanup } from './cleanup.ts'
import type { MongoDb } from './connection.ts'
import { fromProject, type ProjectRow, type ProjectTombstone, toProject } from './project-row.ts'
import { insertOnce } from './row.ts'

/** What `update` writes. */
function changeable({ name, isPrivate, whitelabel, allowedDomains, config, updatedAt, revision }: Project) {
  return {
    name,
    isPrivate,
    whitelabel,
    allowedDomains,
    config,
    updatedAt,
    revision,
  }
}

export function createProjects(db: MongoDb, cleanup: Cleanup): ProjectStore {
  const projects = db.collection<ProjectRow>('projects')
  const tombstones = db.collection<ProjectRow | ProjectTombstone>('projects')
  async function one(filter: Filter<ProjectRow>): Promise<Project | null> {
    const row = await projects.findOne(filter)
    return row?.state === 'open' ? toProject(row) : null
  }
  async function byUuid(filter: Filter<ProjectRow>): Promise<Project[]> {
    return (
      await projects
        .find({ state: 'open', ...filter })
        .sort({ _id: 1 })
        .toArray()
    ).map(toProject)
  }

  return {
    insert: async (project) => {
      await insertOnce(projects, fromProject(project), 'slug')
    },
    bySlug: (slug) => one({ slug }),
    byUuid: (uuid) => one({ _id: uuid }),
    slugs: async (uuids) => {
      const found = projects.find({ _id: { $in: uuids }, state: 'open' }, { projection: { slug: 1 } })
      return new Map((await found.toArray()).map(({ _id, slug }) => [_id, slug]))
    },
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
      const tombstone = { state: 'gone', slug: `gone/${uuid}`, goneAt: cleanup.now() } as const
      const { matchedCount } = await tombstones.replaceOne({ _id: uuid, state: 'open' }, tombstone)
      if (matchedCount > 0) cleanup.schedule()
      return matchedCount > 0
    },
  }
}
