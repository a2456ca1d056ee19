// Adds and removes sources. Adding several is all or nothing.
import type { UploadFields } from '../../gen/lectern/v1/source_pb.js'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { DomainError, isConflict } from '../errors.ts'
import { readPageAddress } from '../page-address.ts'
import type { Project } from '../store/project.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'

interface AddDeps {
  store: Pick<Store, 'sources'>
  now(): Date
  newUuid(): string
}

/** Source types by the field with their addresses. */
const types = { urls: 'url', sitemaps: 'sitemap' } as const

/** Creates a source with default settings, named by its address. */
export function newSource(deps: AddDeps, project: Project, type: SourceTypeName, url: string): Source {
  return {
    uuid: deps.newUuid(),
    team: project.team,
    project: project.uuid,
    type,
    name: url,
    url,
    identity: url,
    options: {},
    include: [],
    exclude: [],
    maxPages: null,
    maxDepth: null,
    resolvedUrl: null,
    credentials: null,
    createdAt: deps.now().toISOString(),
    lastCrawledAt: null,
    state: 'pending',
    lastError: null,
    revision: 1,
  }
}

/** Creates a source for each address, by field. Throws DomainError invalid. */
export function webSources(
  deps: AddDeps,
  project: Project,
  fields: Pick<UploadFields, keyof typeof types>,
): Map<string, Source> {
  const sources = new Map<string, Source>()
  for (const [name, type] of Object.entries(types)) {
    for (const [at, given] of fields[name as keyof typeof types].entries()) {
      const field = `${name}[${at}]`
      const source = newSource(deps, project, type, readPageAddress(given, field))
      if (![...sources.values()].some((other) => isSame(other, source))) sources.set(field, source)
    }
  }
  return sources
}

/** The row with the fields of the message. Some of them are options of its type. */
export function toSource({ options, ...source }: Source, pageCount: number) {
  const { spec: _, ...ofType } = options
  return { ...source, ...ofType, credentials: null, url: source.url || null, pageCount }
}

/** Adds the sources, given by field, and returns them. Adds none and throws DomainError source_exists if one exists. */
export async function addSources(
  deps: AddDeps,
  project: Project,
  sources: Map<string, Source>,
): Promise<Source[]> {
  const existing = await deps.store.sources.all(project.uuid)
  for (const [field, source] of sources) {
    if (existing.some((other) => isSame(other, source))) throw sourceExists(source, field)
  }
  const inserted: Source[] = []
  for (const [field, source] of sources) {
    try {
      await insertSource(deps, source)
      inserted.push(source)
    } catch (error) {
      await removeSources(deps, inserted)
      throw isConflict(error) ? sourceExists(source, field) : error
    }
  }
  return inserted
}

/** Rejects with Conflict like the store's `insert`, and with DomainError not_found if the project was deleted meanwhile. */
export async function insertSource({ store }: Pick<AddDeps, 'store'>, source: Source): Promise<void> {
  await store.sources.insert(source)
  if ((await store.sources.get(source.project, source.uuid)) === null)
    throw new DomainError('not_found', 'The project has been deleted.')
}

/** Removes the sources. Ignores errors. */
export async function removeSources({ store }: Pick<AddDeps, 'store'>, sources: Source[]): Promise<void> {
  await Promise.allSettled(sources.map(({ project, uuid }) => store.sources.delete(project, uuid)))
}

/** `field`: the request's field with the address. */
export function sourceExists({ type }: Source, field: string): DomainError {
  const sentence = `The project has a ${type} source with this address already.`
  return new DomainError('source_exists', sentence, { [field]: ['is a source already'] })
}

function isSame(one: Source, other: Source): boolean {
  return one.type === other.type && one.identity === other.identity
}

/** Deletes the uploaded files of deleted sources. After a crash, the sweep deletes them later. */
export async function eraseBlobs(
  { blobs }: Pick<Store, 'blobs'>,
  sources: Pick<Source, 'options'>[],
): Promise<void> {
  for (const { options } of sources) if (options.blob !== undefined) await blobs.delete(options.blob)
}
