// SourceService: creates, lists, changes, deletes and tests sources.
import type { HandlerContext } from '@connectrpc/connect'
import {
  type Source as SourceMessage,
  SourceSchema,
  type SourceService,
  type TestUrlResponseSchema,
} from '../../gen/lectern/v1/source_pb.js'
import { toIdentity } from '../../sources/source-table.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { projectOf } from '../context.ts'
import { DomainError, type FieldErrors, invalidField, isConflict } from '../errors.ts'
import { fieldsOfOtherTypes } from '../field-rules.ts'
import type { RowOf } from '../message.ts'
import type { CheckDescription } from '../openapi/openapi-service.ts'
import { readPageAddress } from '../page-address.ts'
import { retryChange } from '../retry.ts'
import type { Handlers } from '../routes.ts'
import { createTurnstile } from '../semaphore.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { Source } from '../store/source.ts'
import { isLive, type RunDeps, startRun } from '../sync/start-run.ts'
import { eraseBlobs, insertSource, sourceExists, toSource } from './add-sources.ts'
import { setCredentials } from './credentials.ts'
import {
  checkGlobs,
  readers,
  readTestedSource,
  readUnsavedSource,
  type UnsavedSourceDeps,
  unnamed,
} from './unsaved-source.ts'

/** Tests how a crawl would treat an address. Rejects only if the signal aborts or a backend is unavailable. */
export type TestAddress = (
  source: Source,
  url: string,
  signal: AbortSignal,
) => Promise<RowOf<typeof TestUrlResponseSchema>>

/** Maximum concurrent tests of all teams and of one team. Each has a page in memory. */
const maxTests = { all: 16, team: 4 }

export function createSourceService(
  deps: RunDeps & UnsavedSourceDeps & { checkDescription: CheckDescription; testAddress: TestAddress },
): Omit<Handlers<typeof SourceService>, 'uploadSources'> {
  const { store } = deps
  const enterTest = createTurnstile(maxTests, 'Too many addresses are being tested.')

  async function withCount(source: Source) {
    const counts = await store.sources.pageCounts(source.project)
    return toSource(source, counts.get(source.uuid) ?? 0)
  }

  async function existing(project: Project, uuid: string): Promise<Source> {
    const source = await store.sources.get(project.uuid, uuid)
    if (source === null) throw new DomainError('not_found', 'The project has no such source.')
    return source
  }

  /** Checks an API description given in the request before it is stored. Throws DomainError invalid. */
  async function checkSpec(source: Source, { signal }: HandlerContext) {
    const { spec } = source.options
    if (source.type !== 'openapi') return
    if ((spec === undefined) === (source.url === ''))
      throw invalidField('spec', 'must be given, or else url, and not both')
    if (spec === undefined) return
    const found = await deps.checkDescription(JSON.parse(spec), source.team, signal)
    if (typeof found === 'string') throw new DomainError('invalid', `spec: ${found}`, { spec: [found] })
    if (source.name === unnamed) source.name = found.title.slice(0, 200) || unnamed
  }

  return {
    async createSource({ source: given }, context) {
      const project = projectOf(context)
      const message = given as SourceMessage
      const source = await readUnsavedSource(deps, project, message)
      await checkSpec(source, context)
      source.identity = toIdentity(source)
      await insertSource(deps, source).catch(orExists(source))
      return { source: await withCount(source) }
    },

    async getSource({ sourceUuid }, context) {
      return { source: await withCount(await existing(projectOf(context), sourceUuid)) }
    },

    async listSources(request, context) {
      const project = projectOf(context)
      const { offset, limit } = readPageRequest(request)
      const all = await store.sources.all(project.uuid)
      const rows = request.all ? all : all.slice(offset, offset + limit)
      const pages = await store.sources.pageCounts(project.uuid)
      return { count: all.length, results: rows.map((row) => toSource(row, pages.get(row.uuid) ?? 0)) }
    },

    async updateSource({ sourceUuid, source: given, updateMask }, context) {
      const project = projectOf(context)
      const paths = updateMask?.paths ?? []
      await checkGlobs(given as SourceMessage, paths)
      return retryChange('source', async () => {
        const source = await existing(project, sourceUuid)
        refuseForeign(source.type, paths)
        for (const path of paths) Object.assign(source, readers[path]?.(given as SourceMessage, source))
        if (paths.includes('spec')) await checkSpec(source, context)
        source.identity = toIdentity(source)
        const secrets = paths.filter((path) => path.split('.', 1)[0] === 'credentials')
        if (secrets.length > 0) setCredentials(deps.credentials, source, secrets, given as SourceMessage)
        source.revision += 1
        const isWritten = await store.sources.update(source).catch(orExists(source))
        return isWritten ? { source: await withCount(source) } : null
      })
    },

    async deleteSource({ sourceUuid }, context) {
      const project = projectOf(context)
      // Checked first, because the cleanup has to be started.
      await deps.runs.ping()
      const source = await store.sources.get(project.uuid, sourceUuid)
      if (source === null || !(await store.sources.delete(project.uuid, sourceUuid))) {
        throw new DomainError('not_found', 'The project has no such source.')
      }
      // Restarts a live run without the source, since it would continue to add pages of it.
      const latest = await store.runs.latest(project.uuid)
      if (latest && isLive(latest)) await startRun(deps, project, latest.trigger)
      await eraseBlobs(store, [source])
      await deps.runs.sweep(project.uuid)
      return {}
    },

    async testUrl({ url: given, sourceUuid, source: message }, context) {
      const project = projectOf(context)
      const url = readPageAddress(given)
      const source = await readTestedSource(deps, project, sourceUuid, message)
      const leave = enterTest(project.team)
      try {
        return await deps.testAddress(source, url, context.signal)
      } finally {
        leave()
      }
    },
  }
}

function orExists(source: Source) {
  return (error: unknown): never => {
    throw isConflict(error) ? sourceExists(source, 'url') : error
  }
}

function refuseForeign(type: SourceTypeName, paths: string[]) {
  const others = fieldsOfOtherTypes(SourceSchema, type)
  const foreign = paths.filter((path) => others.has(path.split('.', 1)[0] as string))
  if (foreign.length === 0) return
  const problem = `is not a field of type ${type}`
  const fields: FieldErrors = Object.fromEntries(foreign.map((path) => [path, [problem]]))
  throw new DomainError('invalid', `${foreign.join(', ')} ${problem}.`, fields)
}
