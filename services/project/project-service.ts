import { LRUCache } from 'lru-cache'
import type { Project as ProjectMessage, ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { callerOf, projectOf, teamOf } from '../context.ts'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import { DomainError, isConflict } from '../errors.ts'
import { retryChange } from '../retry.ts'
import type { Handlers } from '../routes.ts'
import { eraseBlobs } from '../source/add-sources.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { RunDeps } from '../sync/start-run.ts'
import { changeSettings, checkFilters, newSettings, toSlug } from './project-change.ts'

/** Maximum numbers to try if a slug made from a name is taken. */
const maxSlugs = 50

const schedulePath = 'config.sync.schedule'
const filtersPath = 'config.search.filters'

/** Milliseconds for which the embedding progress is cached: every reader's page requests it. */
const shareMaxAge = 10_000
const maxShares = 1_000

interface ProjectDeps extends RunDeps {
  embedding?: Pick<EmbeddingClient, 'progress'>
  /** Model name as in traces; `extractive` without a language model. */
  model?: string
}

export function createProjectService(deps: ProjectDeps): Handlers<typeof ProjectService> {
  const { store, runs, embedding, model = 'extractive' } = deps
  /** Returns stale progress while it is refreshed: the embed thread may be busy. */
  const shares = new LRUCache<string, { progress: EmbeddingProgress | null }>({
    max: maxShares,
    ttl: shareMaxAge,
    allowStale: true,
    fetchMethod: async (project) => ({ progress: (await embedding?.progress(project)) ?? null }),
  })

  const knownLanguages = new LRUCache<string, string[]>({
    max: maxShares,
    ttl: 5 * 60_000,
    fetchMethod: (project) => store.pages.languages(project),
  })

  async function withSync(project: Project) {
    return { ...project, lastSync: await store.runs.latest(project.uuid) }
  }

  async function insert(project: Project, slugIsGiven: boolean): Promise<Project> {
    for (let number = 1; number <= maxSlugs; number++) {
      const slug = number === 1 ? project.slug : `${project.slug.slice(0, 60)}-${number}`
      try {
        await store.projects.insert({ ...project, slug })
        return { ...project, slug }
      } catch (error) {
        if (!isConflict(error, 'slug')) throw error
        if (slugIsGiven) break
      }
    }
    throw new DomainError('slug_taken', `The slug ${project.slug} is taken.`, { slug: ['is taken'] })
  }

  /** After a concurrent change, applies the change to the new state. */
  function change(project: Project, apply: (project: Project) => Project): Promise<Project> {
    let before: Project | null = project
    return retryChange('project', async () => {
      if (before === null) return null
      const updatedAt = deps.now().toISOString()
      const after = { ...apply(before), revision: before.revision + 1, updatedAt }
      if (await store.projects.update(after)) return after
      before = await store.projects.byUuid(project.uuid)
      return null
    })
  }

  return {
    async getFirstProject() {
      const team = await store.teams.first()
      const listed = team && (await store.projects.list(team.uuid, null, { offset: 0, limit: 100 }))
      const first = listed?.rows.find((project) => !project.isPrivate)
      return first ? { slug: first.slug } : {}
    },

    async createProject({ project: given }, context) {
      if (callerOf(context).projects !== null) {
        throw new DomainError('permission_denied', 'A key scoped to projects cannot create others.')
      }
      const message = given as ProjectMessage
      await checkFilters(message)
      const settings = newSettings(message)
      const { schedule } = settings.config.sync
      // Checked first, so that no project is left without its schedule.
      if (schedule !== null) await runs.ping()
      const now = deps.now().toISOString()
      const project = await insert(
        {
          ...settings,
          uuid: deps.newUuid(),
          team: teamOf(context),
          slug: message.slug ?? toSlug(settings.name),
          createdAt: now,
          updatedAt: now,
          revision: 1,
          indexedAt: null,
        },
        message.slug !== undefined,
      )
      if (schedule !== null) await runs.schedule(project.uuid, schedule)
      return { project: await withSync(project) }
    },

    async getProject(_request, context) {
      const project = projectOf(context)
      const [row, share] = await Promise.all([withSync(project), shares.fetch(project.uuid)])
      const progress = share?.progress
      const isEmbedding = progress && progress.done + progress.refused < progress.total
      return { project: { ...row, embedding: isEmbedding ? progress : null } }
    },

    async getWidgetConfig(_request, context) {
      const { config, ...project } = projectOf(context)
      const { chat, search, mcp } = config
      const ofMcp = { mcpEnabled: mcp.enabled, mcpServerName: mcp.serverName }
      const languages = (await knownLanguages.fetch(project.uuid)) ?? []
      return { config: { ...project, ...chat, ...search, ...ofMcp, languages } }
    },

    async listProjects(request, context) {
      const { projects } = callerOf(context)
      const { count, rows } = await store.projects.list(
        teamOf(context),
        projects && [...projects],
        readPageRequest(request),
      )
      return { count, results: await Promise.all(rows.map(withSync)) }
    },

    async updateProject({ project: patch, updateMask }, context) {
      const message = patch as ProjectMessage
      const paths = updateMask?.paths ?? []
      if (paths.length === 0) return { project: await withSync(projectOf(context)) }
      const writes = (written: string) => paths.some((path) => `${written}.`.startsWith(`${path}.`))
      if (writes(filtersPath)) await checkFilters(message)
      const isScheduled = writes(schedulePath)
      if (isScheduled) await runs.ping()
      const after = await change(projectOf(context), (before) => ({
        ...before,
        ...changeSettings(before, message, paths),
      }))
      if (isScheduled) await runs.schedule(after.uuid, after.config.sync.schedule)
      return { project: await withSync(after) }
    },

    async deleteProject(_request, context) {
      const { uuid } = projectOf(context)
      await runs.schedule(uuid, null)
      const sources = await store.sources.all(uuid)
      await store.projects.delete(uuid)
      await eraseBlobs(store, sources)
      await runs.dropProject(uuid)
      return {}
    },

    /** The settings that answers depend on. `lectern eval` stores results by them. */
    async getAnswerSetup(_request, context) {
      const { uuid, config } = projectOf(context)
      const [pageCount, lastSync, progress] = await Promise.all([
        store.pages.count(uuid),
        store.runs.latest(uuid),
        embedding?.progress(uuid),
      ])
      const promptVersion = config.prompt.version
      return { setup: { pageCount, model, promptVersion, lastSync, embedding: progress ?? null } }
    },

    async setChatActions({ actions }, context) {
      const after = await change(projectOf(context), (before) => ({
        ...before,
        config: {
          ...before.config,
          chat: {
            ...before.config.chat,
            actions: actions.map(({ name, buttonText, url }) => ({ name, buttonText, url })),
          },
        },
      }))
      return { project: await withSync(after) }
    },
  }
}
