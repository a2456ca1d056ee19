// Reads and validates the settings of a source from a request, for creation, changes and tests.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AllowList } from '../../crawler/address.ts'
import { readGlob } from '../../crawler/glob.ts'
import {
  type Source as SourceMessage,
  SourceType as SourceTypeMessage,
} from '../../gen/lectern/v1/source_pb.js'
import { isWeb } from '../../sources/source-table.ts'
import type { SourceOptions, SourceTypeName } from '../../sources/source-type.ts'
import { DomainError, invalidField } from '../errors.ts'
import { readEnum } from '../message.ts'
import { readPageAddress } from '../page-address.ts'
import type { Project } from '../store/project.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { newSource } from './add-sources.ts'
import { type CredentialKeeper, setCredentials } from './credentials.ts'

export interface UnsavedSourceDeps {
  store: Store
  now(): Date
  newUuid(): string
  credentials: CredentialKeeper
  /** Hosts from which a repository may be read over http. */
  allow: Pick<AllowList, 'hasHost' | 'hasAddress'>
}

/** Name of an API description until its title is read. */
export const unnamed = 'Source'

type Read = (from: SourceMessage, source: Source) => Partial<Source>

/** Reads the value of each path of an update mask. Creation reads all of them. */
export const readers: Record<string, Read> = {
  name: ({ name }, { options, url }) => ({ name: name.trim() || options.fileName || url || unnamed }),
  include: ({ include }) => ({ include }),
  exclude: ({ exclude }) => ({ exclude }),
  max_pages: ({ maxPages = null }) => ({ maxPages }),
  max_depth: ({ maxDepth = null }) => ({ maxDepth }),
  max_connections: option('maxConnections', (from) => from.maxConnections),
  delay_ms: option('delayMs', (from) => from.delayMs),
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
    return { options: value || value === 0 ? { ...options, [name]: value } : options }
  }
}

/** Rejects http repositories, so that tokens are not sent in clear text. Throws DomainError invalid. */
function checkScheme({ allow }: UnsavedSourceDeps, type: SourceTypeName, address: string) {
  const { protocol, hostname, port } = URL.parse(address) ?? {}
  if (type !== 'repository' || protocol !== 'http:' || hostname === undefined) return
  const host = hostname.replace(/^\[|\]$/g, '')
  if (!allow.hasHost(host, Number(port) || 80) && !allow.hasAddress(host))
    throw invalidField('url', 'must be an https address, or name a host of LECTERN_CRAWL_ALLOW')
}

/** `path`: prefix of fields in errors. Throws DomainError invalid. */
export async function readUnsavedSource(
  deps: UnsavedSourceDeps,
  project: Project,
  message: SourceMessage,
  path = '',
): Promise<Source> {
  const type = readEnum(SourceTypeMessage, message.type)!
  const url = message.url === undefined ? '' : readPageAddress(message.url, `${path}url`)
  checkScheme(deps, type, url)
  const source = newSource(deps, project, type, url)
  await checkGlobs(message, Object.keys(readers), path)
  for (const read of Object.values(readers)) Object.assign(source, read(message, source))
  if (message.credentials !== undefined)
    setCredentials(deps.credentials, source, ['credentials'], message, path)
  return source
}

/**
 * Returns the web source to test: a stored one, optionally with other globs, or an unsaved one. Throws DomainError invalid or
 * not_found.
 */
export async function readTestedSource(
  deps: UnsavedSourceDeps,
  project: Project,
  uuid: string,
  message: SourceMessage | undefined,
): Promise<Source> {
  const path = 'source.'
  if (uuid === '') {
    if (message === undefined) throw invalidField('source', 'must be given, or else source_uuid')
    if (message.type === 0) throw invalidField(`${path}type`, 'must be url, site or sitemap')
    if (!message.url) throw invalidField(`${path}url`, 'is required')
    return readUnsavedSource(deps, project, message, path)
  }
  const source = await deps.store.sources.get(project.uuid, uuid)
  if (source === null) throw new DomainError('not_found', 'The project has no such source.')
  if (!isWeb(source.type)) throw invalidField('source_uuid', 'must be a source of type url, site or sitemap')
  if (message === undefined) return source
  await checkGlobs(message, ['include', 'exclude'], path)
  const changed = { ...source, include: message.include, exclude: message.exclude }
  if (message.credentials !== undefined)
    setCredentials(deps.credentials, changed, ['credentials'], message, path)
  return changed
}

/** Maximum instructions of all globs of a list: they are compiled to judge a single address. */
const maxInstructions = 10_000

/** Rejects with DomainError(invalid) if a glob is invalid, or too large, alone or with those before it. Yields to the event loop after each glob. */
export async function checkGlobs(from: SourceMessage, paths: string[], path = ''): Promise<void> {
  for (const field of ['include', 'exclude'] as const) {
    const globs = paths.includes(field) ? from[field] : []
    let size = 0
    for (const [at, glob] of globs.entries()) {
      try {
        size += readGlob(glob).size
        if (size > maxInstructions)
          throw new Error(`makes the globs larger than ${maxInstructions} instructions in all`)
      } catch (error) {
        throw invalidField(`${path}${field}[${at}]`, (error as Error).message)
      }
      await nextTurn()
    }
  }
}
