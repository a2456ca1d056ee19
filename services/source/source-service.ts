// SourceService: sources that are read over the network.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServiceImpl } from '@connectrpc/connect'
import { readGlob } from '../../crawler/glob.ts'
import {
  type Source as SourceMessage,
  SourceSchema,
  type SourceService,
} from '../../gen/lectern/v1/source_pb.js'
import { isRead } from '../../sources/source-table.ts'
import { projectOf } from '../context.ts'
import { DomainError, type FieldErrors, invalidField, isConflict } from '../errors.ts'
import { fieldsOfOtherTypes } from '../interceptors/field-rules.ts'
import { readPageAddress } from '../page-address.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { Source, SourceType } from '../store/source.ts'
import { isLive, type RunDeps, startRun } from '../sync/start-run.ts'
import { addSources, newSource, sourceExists } from './add-sources.ts'
import { readSourceType, toSource } from './source-message.ts'

type Write = (source: Source, from: SourceMessage) => void

/** What each path of an update mask writes; creation writes all of them. */
const writers: Record<string, Write> = {
  name: (source, from) => {
    source.name = from.name.trim() || source.url
  },
  include: (source, from) => {
    source.include = from.include
  },
  exclude: (source, from) => {
    source.exclude = from.exclude
  },
  max_pages: (source, from) => {
    source.maxPages = from.maxPages ?? null
  },
  max_depth: (source, from) => {
    source.maxDepth = from.maxDepth ?? null
  },
}

const maxTries = 5

export function createSourceService(
  deps: RunDeps,
): Pick<
  ServiceImpl<typeof SourceService>,
  'createSource' | 'createSources' | 'getSource' | 'listSources' | 'updateSource' | 'deleteSource'
> {
  const { store } = deps

  async function toMessage(source: Source): Promise<SourceMessage> {
    const counts = await store.sources.pageCounts(source.project)
    return toSource(source, counts.get(source.uuid) ?? 0)
  }

  async function existing(project: Project, uuid: string): Promise<Source> {
    const source = await store.sources.get(project.uuid, uuid)
    if (source === null) throw new DomainError('not_found', 'The project has no such source.')
    return source
  }

  return {
    async createSource({ source: given }, context) {
      const project = projectOf(context)
      const message = given as SourceMessage
      const type = readSourceType(message.type)
      requireRead(type)
      requireStored(message)
      const source = newSource(deps, project, type, readPageAddress(message.url ?? ''))
      await checkGlobs(message, Object.keys(writers))
      for (const write of Object.values(writers)) write(source, message)
      try {
        await store.sources.insert(source)
      } catch (error) {
        throw isConflict(error) ? sourceExists(source, 'url') : error
      }
      return { source: await toMessage(source) }
    },

    async createSources(request, context) {
      const added = await addSources(deps, projectOf(context), request)
      return { results: added.map((source) => toSource(source, 0)) }
    },

    async getSource({ sourceUuid }, context) {
      return { source: await toMessage(await existing(projectOf(context), sourceUuid)) }
    },

    async listSources(request, context) {
      const project = projectOf(context)
      const [{ count, rows }, pages] = await Promise.all([
        request.all
          ? store.sources.all(project.uuid).then((rows) => ({ count: rows.length, rows }))
          : store.sources.list(project.uuid, readPageRequest(request)),
        store.sources.pageCounts(project.uuid),
      ])
      return { count, results: rows.map((row) => toSource(row, pages.get(row.uuid) ?? 0)) }
    },

    async updateSource({ sourceUuid, source: given, updateMask }, context) {
      const project = projectOf(context)
      const paths = updateMask?.paths ?? []
      requireStored(given as SourceMessage)
      await checkGlobs(given as SourceMessage, paths)
      for (let tries = 0; tries < maxTries; tries++) {
        const source = await existing(project, sourceUuid)
        requireRead(source.type)
        refuseForeign(source.type, paths)
        for (const path of paths) writers[path]?.(source, given as SourceMessage)
        source.revision += 1
        if (await store.sources.update(source)) return { source: await toMessage(source) }
      }
      throw new DomainError('changed_meanwhile', 'The source was changed by somebody else; try again.')
    },

    async deleteSource({ sourceUuid }, context) {
      const project = projectOf(context)
      // What it leaves behind is cleared by work that must be startable now.
      await deps.runs.ping()
      if (!(await store.sources.delete(project.uuid, sourceUuid))) {
        throw new DomainError('not_found', 'The project has no such source.')
      }
      // A live run would go on adding pages of the source: it starts over without it.
      const latest = await store.runs.latest(project.uuid)
      if (latest && isLive(latest)) await startRun(deps, project, latest.trigger)
      await deps.runs.sweep(project.uuid)
      return {}
    },
  }
}

function requireRead(type: SourceType) {
  if (isRead(type)) return
  throw new DomainError('unimplemented', `Sources of type ${type} are not supported by this version yet.`)
}

function requireStored({ spec, credentials }: SourceMessage) {
  const field = spec ? 'spec' : credentials ? 'credentials' : null
  if (field === null) return
  throw new DomainError('unimplemented', `Sources with ${field} are not supported by this version yet.`)
}

function refuseForeign(type: SourceType, paths: string[]) {
  const others = fieldsOfOtherTypes(SourceSchema, type)
  const foreign = paths.filter((path) => others.has(path.split('.', 1)[0] as string))
  if (foreign.length === 0) return
  const problem = `is not a field of type ${type}`
  const fields: FieldErrors = Object.fromEntries(foreign.map((path) => [path, [problem]]))
  throw new DomainError('invalid', `${foreign.join(', ')} ${problem}.`, fields)
}

/** Rejects where a glob cannot be read, or is too large. Others are served between two globs. */
async function checkGlobs(from: SourceMessage, paths: string[]): Promise<void> {
  for (const field of ['include', 'exclude'] as const) {
    const globs = paths.includes(field) ? from[field] : []
    for (const [at, glob] of globs.entries()) {
      try {
        readGlob(glob)
      } catch (error) {
        throw invalidField(`${field}[${at}]`, (error as Error).message)
      }
      await nextTurn()
    }
  }
}
