// SourceService: sources that are read over the network.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { AllowList } from '../../crawler/address.ts'
import { readGlob } from '../../crawler/glob.ts'
import {
  type Source as SourceMessage,
  SourceSchema,
  type SourceService,
  SourceType as SourceTypeMessage,
} from '../../gen/lectern/v1/source_pb.js'
import { toIdentity } from '../../sources/source-table.ts'
import type { SourceOptions } from '../../sources/source-type.ts'
import { projectOf } from '../context.ts'
import { DomainError, type FieldErrors, invalidField, isConflict } from '../errors.ts'
import { fieldsOfOtherTypes } from '../field-rules.ts'
import { readEnum } from '../message.ts'
import type { CheckDescription } from '../openapi/openapi-service.ts'
import { readPageAddress } from '../page-address.ts'
import { retryChange } from '../retry.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Project } from '../store/project.ts'
import type { Source, SourceType } from '../store/source.ts'
import { isLive, type RunDeps, startRun } from '../sync/start-run.ts'
import { eraseBlobs, insertSource, newSource, sourceExists } from './add-sources.ts'
import { type CredentialKeeper, setCredentials } from './credentials.ts'
import { toSource } from './source-message.ts'

/** Until it is known better. */
const unnamed = 'Source'

type Read = (from: SourceMessage, source: Source) => Partial<Source>

/** What each path of an update mask changes; creation takes all of them. */
const readers: Record<string, Read> = {
  name: ({ name }, { options, url }) => ({ name: name.trim() || options.fileName || url || unnamed }),
  include: ({ include }) => ({ include }),
  exclude: ({ exclude }) => ({ exclude }),
  max_pages: ({ maxPages = null }) => ({ maxPages }),
  max_depth: ({ maxDepth = null }) => ({ maxDepth }),
  branch: option('branch', (from) => from.branch),
  base_url: option('baseUrl', (from) => from.baseUrl && readPageAddress(from.baseUrl, 'base_url')),
  space_key: option('spaceKey', (from) => from.spaceKey),
  spec: option('spec', (from) => from.spec && JSON.stringify(from.spec)),
}

function option<Name extends keyof SourceOptions>(
  name: Name,
  read: (from: SourceMessage) => SourceOptions[Name] | '' | undefined,
): Read {
  return (from, source) => {
    const { [name]: _, ...options } = source.options
    const value = read(from)
    return { options: value ? { ...options, [name]: value } : options }
  }
}

export function createSourceService(
  deps: RunDeps & {
    credentials: CredentialKeeper
    checkDescription: CheckDescription
    /** Hosts from which a repository may be read over http. */
    allow: Pick<AllowList, 'hasHost' | 'hasAddress'>
  },
): Pick<
  ServiceImpl<typeof SourceService>,
  'createSource' | 'getSource' | 'listSources' | 'updateSource' | 'deleteSource'
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

  /** A token must not cross the internet in clear text. Throws DomainError invalid. */
  function checkScheme(type: SourceType, address: string) {
    const { protocol, hostname, port } = URL.parse(address) ?? {}
    if (type !== 'repository' || protocol !== 'http:' || hostname === undefined) return
    const host = hostname.replace(/^\[|\]$/g, '')
    if (!deps.allow.hasHost(host, Number(port) || 80) && !deps.allow.hasAddress(host))
      throw invalidField('url', 'must be an https address, or name a host of LECTERN_CRAWL_ALLOW')
  }

  /** A description that is given whole is read before it is kept. Throws DomainError invalid. */
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
      const type = readEnum(SourceTypeMessage, message.type)!
      const url = message.url === undefined ? '' : readPageAddress(message.url)
      checkScheme(type, url)
      const source = newSource(deps, project, type, url)
      await checkGlobs(message, Object.keys(readers))
      for (const read of Object.values(readers)) Object.assign(source, read(message, source))
      await checkSpec(source, context)
      source.identity = toIdentity(source)
      if (message.credentials !== undefined)
        setCredentials(deps.credentials, source, ['credentials'], message)
      await insertSource(deps, source).catch(orExists(source))
      return { source: await toMessage(source) }
    },

    async getSource({ sourceUuid }, context) {
      return { source: await toMessage(await existing(projectOf(context), sourceUuid)) }
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
        return isWritten ? { source: await toMessage(source) } : null
      })
    },

    async deleteSource({ sourceUuid }, context) {
      const project = projectOf(context)
      // What it leaves behind is cleared by work that must be startable now.
      await deps.runs.ping()
      const source = await store.sources.get(project.uuid, sourceUuid)
      if (source === null || !(await store.sources.delete(project.uuid, sourceUuid))) {
        throw new DomainError('not_found', 'The project has no such source.')
      }
      // A live run would go on adding pages of the source: it starts over without it.
      const latest = await store.runs.latest(project.uuid)
      if (latest && isLive(latest)) await startRun(deps, project, latest.trigger)
      await eraseBlobs(store, [source])
      await deps.runs.sweep(project.uuid)
      return {}
    },
  }
}

function orExists(source: Source) {
  return (error: unknown): never => {
    throw isConflict(error) ? sourceExists(source, 'url') : error
  }
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
