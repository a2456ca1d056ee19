// SourceService.UploadSources: receives a stream of addresses, files and an archive, and adds all of them as sources or none.
import type { HandlerContext } from '@connectrpc/connect'
import type { SourceService, UploadFields, UploadSourcesRequest } from '../../gen/lectern/v1/source_pb.js'
import { maxFile } from '../../sources/file/file-type.ts'
import { fileEndings, formatOfFile, toProblem } from '../../sources/file/formats.ts'
import { maxArchive, readArchive } from '../../sources/hosted-site/hosted-site-type.ts'
import type { SourceTools, SourceTypeName } from '../../sources/source-type.ts'
import { projectOf } from '../context.ts'
import { DomainError, invalidField } from '../errors.ts'
import { readPageAddress } from '../page-address.ts'
import { changedMeanwhile } from '../retry.ts'
import type { Handlers } from '../routes.ts'
import { createTurnstile } from '../semaphore.ts'
import type { Blob } from '../store/blob.ts'
import type { Project } from '../store/project.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { addSources, eraseBlobs, newSource, removeSources, toSource, webSources } from './add-sources.ts'

interface UploadDeps {
  store: Pick<Store, 'sources' | 'blobs'>
  now(): Date
  newUuid(): string
  /** Maximum megabytes of uploads per team. */
  uploadLimit: number
  /** Runs tasks of a type's parser in a parse thread, fairly among teams. */
  read(type: SourceTypeName, context: { project: string; signal: AbortSignal }): SourceTools['read']
}

const megabyte = 1024 * 1024
const maxFiles = 20
/** Maximum concurrent uploads of all teams and of one team. */
const maxUploads = { all: 16, team: 4 }

/** A complete file or archive in the store. */
interface Uploaded extends Blob {
  id: string
  name: string
}

interface Received {
  fields: Pick<UploadFields, 'urls' | 'sitemaps' | 'siteName' | 'baseUrl'>
  files: Uploaded[]
  site: Uploaded | null
}

export function createUploads(deps: UploadDeps): Pick<Handlers<typeof SourceService>, 'uploadSources'> {
  const { store, uploadLimit } = deps
  const enter = createTurnstile(maxUploads, 'Too many uploads are in progress.')

  async function readRoom({ team }: Project): Promise<number> {
    return uploadLimit * megabyte - (await store.sources.uploadedSize(team))
  }

  /** Receives at most `room` bytes. Adds the id of each blob to `stored` before its first byte. */
  async function receive(
    messages: AsyncIterable<UploadSourcesRequest>,
    room: number,
    stored: string[],
  ): Promise<Received> {
    const fields = { urls: [], sitemaps: [], siteName: '', baseUrl: '' }
    const received: Received = { fields, files: [], site: null }
    const reader = createPartReader(messages, room)
    async function keep(field: string, max: number) {
      const id = deps.newUuid()
      stored.push(id)
      return { ...(await store.blobs.put(id, reader.data(field, max))), id }
    }
    for (let part = await reader.next(); part !== null; part = await reader.next()) {
      if (part.case === 'fields') received.fields = part.value
      else if (part.case === 'data') throw invalidField('data', 'must follow the file that it belongs to')
      else if (part.case === 'site') {
        if (received.site !== null) throw invalidField('site_zip', 'must be one file')
        received.site = { ...(await keep('site_zip', maxArchive)), name: '' }
      } else {
        const field = `files[${received.files.length}]`
        const name = readFileName(part.value.name, field)
        if (received.files.length === maxFiles)
          throw invalidField('files', `must not be more than ${maxFiles}`)
        received.files.push({ ...(await keep(field, maxFile)), name })
      }
    }
    // An interrupted HTTP/2 call can look like a complete one.
    if (!reader.isFinished()) throw invalidField('finish_write', 'must be set in the last message')
    return received
  }

  /** Throws DomainError invalid if a file is unreadable. */
  async function checkFiles(files: Uploaded[], read: SourceTools['read']) {
    for (const [at, { id, name }] of files.entries()) {
      const field = `files[${at}]`
      const body = await store.blobs.read(id, 0, maxFile)
      const problem = await read('check', body, name).then(() => null, toProblem)
      if (problem !== null)
        throw new DomainError('invalid', `${field}: ${name} ${problem}.`, { [field]: [problem] })
    }
  }

  function toFileSource(project: Project, { id, name, size, sha256 }: Uploaded): Source {
    const source = newSource(deps, project, 'file', '')
    const options = { blob: id, hash: sha256, size, fileName: name }
    return { ...source, name: name.slice(0, 200), identity: source.uuid, options }
  }

  /** Throws DomainError invalid if the archive is unreadable. */
  async function checkSite({ id, size }: Uploaded, read: SourceTools['read']) {
    const bytes = (from: number, length: number) => store.blobs.read(id, from, length)
    const problem = await readArchive({ bytes, read }, size).then(() => null, toProblem)
    if (problem !== null) throw new DomainError('invalid', `site_zip ${problem}.`, { site_zip: [problem] })
  }

  function toSiteSource(
    project: Project,
    { id, size, sha256 }: Uploaded,
    fields: Received['fields'],
  ): Source {
    const source = newSource(deps, project, 'hosted_site', readSiteAddress(fields.baseUrl))
    return {
      ...source,
      name: fields.siteName.trim() || source.name,
      options: { blob: id, hash: sha256, size },
    }
  }

  async function add(project: Project, { fields, files, site }: Received, { signal }: HandlerContext) {
    if (site === null && fields.baseUrl !== '') throw invalidField('base_url', 'requires site_zip')
    if (site === null && files.length + fields.urls.length + fields.sitemaps.length === 0) {
      const problem = 'must name at least one address, or a file must be sent'
      throw new DomainError('invalid', `urls or sitemaps ${problem}.`, { files: ['must be sent'] })
    }
    const sources = webSources(deps, project, fields)
    for (const [at, file] of files.entries()) sources.set(`files[${at}]`, toFileSource(project, file))
    const sent = site && toSiteSource(project, site, fields)
    const reader = (type: SourceTypeName) => deps.read(type, { project: project.team, signal })
    await checkFiles(files, reader('file'))
    if (site) await checkSite(site, reader('hosted_site'))
    const existing = sent && (await siteAt(project, sent))
    const size = [...files, ...(site ? [site] : [])].reduce((sum, { size }) => sum + size, 0)
    // Checks again, because of concurrent uploads.
    if (size > (await readRoom(project))) throw noRoom(files.length > 0 ? 'files' : 'site_zip')
    if (sent && !existing) sources.set('base_url', sent)
    const added = await addSources(deps, project, sources)
    if (!existing) return added
    return [...added, await replaceSite(existing, sent, fields.siteName, added)]
  }

  async function siteAt(project: Project, { identity }: Source): Promise<Source | null> {
    const sources = await store.sources.all(project.uuid)
    return sources.find((each) => each.type === 'hosted_site' && each.identity === identity) ?? null
  }

  /** Replaces the archive of a site. Its pages stay until the next sync has read the new one. */
  async function replaceSite(existing: Source, sent: Source, name: string, added: Source[]): Promise<Source> {
    const replaced = {
      ...existing,
      name: name.trim() || existing.name,
      options: sent.options,
      revision: existing.revision + 1,
    }
    if (!(await store.sources.update(replaced))) {
      await removeSources(deps, added)
      throw changedMeanwhile('source')
    }
    // On failure, the sweep deletes it later.
    await eraseBlobs(store, [existing]).catch(() => {})
    return replaced
  }

  /** Deletes blobs that no source uses: a source may have been stored before the failure. */
  async function eraseUnused(project: Project, ids: string[]): Promise<void> {
    const used = new Set((await store.sources.all(project.uuid)).map(({ options }) => options.blob))
    await Promise.allSettled(ids.filter((id) => !used.has(id)).map((id) => store.blobs.delete(id)))
  }

  return {
    async uploadSources(messages, context) {
      const project = projectOf(context)
      const leave = enter(project.team)
      const stored: string[] = []
      try {
        const counts = await store.sources.pageCounts(project.uuid)
        const received = await receive(messages, await readRoom(project), stored)
        const added = await add(project, received, context)
        return { results: added.map((source) => toSource(source, counts.get(source.uuid) ?? 0)) }
      } catch (error) {
        await eraseUnused(project, stored).catch(() => {})
        throw error
      } finally {
        leave()
      }
    },
  }
}

function noRoom(field: string): DomainError {
  return tooLarge(field, 'would exceed the upload limit of the team: delete sources of files or sites first')
}

function tooLarge(field: string, problem: string): DomainError {
  return new DomainError('too_large', `${field} ${problem}.`, { [field]: [problem] })
}

type UploadPart = Exclude<UploadSourcesRequest['part'], { case: undefined }>

/** Reads the parts of an upload. `room`: maximum bytes of all parts. */
function createPartReader(messages: AsyncIterable<UploadSourcesRequest>, room: number) {
  const iterator = messages[Symbol.asyncIterator]()
  let ahead: UploadPart | null = null
  let isFinished = false

  async function next(): Promise<UploadPart | null> {
    const part = ahead
    ahead = null
    if (part) return part
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return null
      isFinished = value.finishWrite
      if (value.part.case !== undefined) return value.part
    }
  }

  return {
    next,
    isFinished: () => isFinished,
    /** Yields the data up to the next part of another kind. Throws DomainError too_large if it exceeds `max`. */
    async *data(field: string, max: number): AsyncGenerator<Uint8Array> {
      let size = 0
      for (let part = await next(); part !== null; part = await next()) {
        if (part.case !== 'data') {
          ahead = part
          return
        }
        size += part.value.byteLength
        room -= part.value.byteLength
        if (room < 0) throw noRoom(field)
        if (size > max) throw tooLarge(field, `must not be larger than ${max / megabyte} MB`)
        yield part.value
      }
    },
  }
}

/** Reads the address of a folder: `/docs` → `/docs/`. Throws DomainError invalid. */
function readSiteAddress(given: string): string {
  if (given === '') throw invalidField('base_url', 'is required')
  const url = new URL(readPageAddress(given, 'base_url'))
  if (url.search !== '') throw invalidField('base_url', 'must not have a query')
  url.pathname = url.pathname.replace(/[^/]*\.x?html?$/i, '').replace(/\/?$/, '/')
  return url.href
}

/** Removes folders from the name, which some clients send. */
function readFileName(given: string, field: string): string {
  const name = given.split(/[\\/]/).at(-1)!.trim().normalize().toWellFormed()
  if (name === '') throw invalidField(field, 'must have a name')
  if (name.length > 255) throw invalidField(field, 'must not have a name of more than 255 characters')
  if (/\p{Cc}/u.test(name)) throw invalidField(field, 'must not have control characters in its name')
  if (formatOfFile(name) === null)
    throw invalidField(field, `must be a file of these kinds: ${fileEndings.join(', ')}`)
  return name
}
