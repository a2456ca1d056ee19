// `lectern sources` and `lectern test`: lists, adds and removes the sources of a project, and tests an address. Files and archives are streamed from the disk.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import { enumName } from '../gateway/json/write.ts'
import {
  ListSourcesResponseSchema,
  SourceSchema,
  SourceState,
  SourceType,
  TestOutcome,
  TestOutcomeSchema,
  TestUrlResponseSchema,
  type UploadSourcesRequestSchema,
  type UploadSourcesResponse,
  UploadSourcesResponseSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printList } from './print.ts'

/** As they are written on the command line. */
export const sourceTypes = Object.values(SourceType)
  .filter((name) => typeof name === 'string' && name !== 'UNSPECIFIED')
  .map((name) => String(name).toLowerCase())

export async function listSources(client: CoreClient, slug: string, options: PrintOptions): Promise<void> {
  await printList(options, {
    head: ['UUID', 'TYPE', 'STATE', 'PAGES', 'NAME', 'ERROR'],
    schema: ListSourcesResponseSchema,
    read: (page) => client.sources.listSources({ slug, ...page }),
    toRow({ uuid, type, state, name, pageCount, lastError = '' }) {
      const [typeName, stateName] = [SourceType[type], SourceState[state]].map((each) =>
        String(each).toLowerCase(),
      )
      return [uuid, typeName!, stateName!, String(pageCount), name, lastError]
    },
  })
}

interface AddOptions extends PrintOptions {
  type: string
  name?: string
  include?: string[]
  exclude?: string[]
  maxPages?: number
  maxDepth?: number
  branch?: string
  baseUrl?: string
  /** File that holds the API description, in JSON or YAML. */
  spec?: string
  spaceKey?: string
  email?: string
  header?: string
  /** File that holds it. */
  token?: string
  /** File that holds it. */
  value?: string
}

/** Options of an upload besides its type. */
const uploadOptions: Record<string, (keyof AddOptions)[]> = {
  file: ['json'],
  hosted_site: ['json', 'name', 'baseUrl', 'include', 'exclude', 'maxPages'],
}

/** `where`: of files their paths, of a hosted site its archive, else one address. */
export async function addSource(
  client: CoreClient,
  slug: string,
  where: string[],
  options: AddOptions,
): Promise<void> {
  const { type } = options
  const allowed = uploadOptions[type]
  const foreign = Object.keys(options).find((name) => name !== 'type' && !allowed?.includes(name as never))
  if (allowed && foreign !== undefined) {
    const flag = foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw new InvalidArgumentError(`--${flag} is not for sources of type ${type}.`)
  }
  if (type === 'file') return uploadFiles(client, slug, where, options)
  const [first, ...others] = where
  if (others.length > 0)
    throw new InvalidArgumentError('where must be one address, or the path of one archive.')
  if (type === 'hosted_site') return uploadSite(client, slug, first, options)
  return addOther(client, slug, first, options)
}

async function addOther(
  client: CoreClient,
  slug: string,
  url: string | undefined,
  { json, type, token, value, email, header, spec, ...fields }: AddOptions,
): Promise<void> {
  const credentials = {
    ...(email !== undefined && { email }),
    ...(header !== undefined && { header }),
    ...(token !== undefined && { token: await readSecret(token) }),
    ...(value !== undefined && { value: await readSecret(value) }),
  }
  const { source } = await client.sources.createSource({
    slug,
    source: {
      ...fields,
      type: SourceType[type.toUpperCase() as keyof typeof SourceType],
      ...(url !== undefined && { url }),
      ...(spec !== undefined && { spec: await readSpec(spec) }),
      ...(Object.keys(credentials).length > 0 && { credentials }),
    },
  })
  if (!source) return
  if (json) printJson(SourceSchema, source)
  else printLine(`Added source ${source.uuid}.`)
}

interface TestOptions extends PrintOptions {
  source?: string
  include?: string[]
  exclude?: string[]
}

/** Prints what a crawl would do with an address, as a page of its own or of the source. Sets exit code 1 unless it is indexed. */
export async function testAddress(
  client: CoreClient,
  slug: string,
  url: string,
  { json, source: sourceUuid = '', ...globs }: TestOptions,
): Promise<void> {
  const source = sourceUuid === '' ? { ...globs, type: SourceType.URL, url } : globs
  const tested = await client.sources.testUrl({ slug, url, sourceUuid, source })
  const { outcome, message, title, headings } = tested
  if (outcome !== TestOutcome.INDEXED) process.exitCode = 1
  if (json) return printJson(TestUrlResponseSchema, tested)
  printLine(`${enumName(TestOutcomeSchema, outcome)}  ${url}`)
  printLine(message)
  if (title !== undefined) printLine(title)
  for (const heading of headings) printLine(`  ${heading}`)
}

export async function removeSource(client: CoreClient, slug: string, sourceUuid: string): Promise<void> {
  await client.sources.deleteSource({ slug, sourceUuid })
  printLine(`Removed source ${sourceUuid}.`)
}

async function readSpec(file: string): Promise<JsonObject> {
  const { parse } = await import('yaml')
  return parse(await readText(file), { logLevel: 'silent' })
}

/** A secret on the command line would be in the list of processes. */
async function readSecret(file: string): Promise<string> {
  return (await readText(file)).trim()
}

function readText(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}

type Request = MessageInitShape<typeof UploadSourcesRequestSchema>

const pieceSize = 256 * 1024

async function uploadFiles(
  client: CoreClient,
  slug: string,
  paths: string[],
  { json }: AddOptions,
): Promise<void> {
  if (paths.length === 0) throw new InvalidArgumentError('where must be the paths of files.')
  async function* messages(): AsyncGenerator<Request> {
    yield { slug }
    for (const path of paths) {
      yield { part: { case: 'file', value: { name: basename(path) } } }
      yield* readPieces(path)
    }
  }
  printAdded(await send(client, messages()), json)
}

async function uploadSite(
  client: CoreClient,
  slug: string,
  path: string | undefined,
  { json, name = '', baseUrl = '', include, exclude, maxPages }: AddOptions,
): Promise<void> {
  if (path === undefined) throw new InvalidArgumentError('where must be the path of an archive.')
  const archive = path
  async function* messages(): AsyncGenerator<Request> {
    yield { slug, part: { case: 'fields', value: { siteName: name, baseUrl } } }
    yield { part: { case: 'site', value: {} } }
    yield* readPieces(archive)
  }
  const added = await send(client, messages())
  if (!json) printAdded(added)
  if (include || exclude || maxPages) {
    const given = { ...(include && { include }), ...(exclude && { exclude }), ...(maxPages && { maxPages }) }
    const source = { type: SourceType.HOSTED_SITE, ...given }
    const paths = Object.keys(given).map((name) => (name === 'maxPages' ? 'max_pages' : name))
    const sourceUuid = added.results[0]!.uuid
    const changed = await client.sources.updateSource({ slug, sourceUuid, source, updateMask: { paths } })
    added.results = [changed.source!]
  }
  if (json) printAdded(added, json)
}

async function* readPieces(path: string): AsyncGenerator<Request> {
  for await (const piece of createReadStream(path, { highWaterMark: pieceSize }))
    yield { part: { case: 'data', value: piece as Buffer } }
}

/** Rejects with the error of the disk where that broke the upload off. */
async function send(client: CoreClient, messages: AsyncIterable<Request>): Promise<UploadSourcesResponse> {
  let fault: unknown = null
  async function* watched() {
    try {
      yield* messages
      yield { finishWrite: true }
    } catch (error) {
      fault = error
      throw error
    }
  }
  return client.sources.uploadSources(watched()).catch((error) => {
    throw fault ?? error
  })
}

function printAdded(added: UploadSourcesResponse, json = false): void {
  if (json) printJson(UploadSourcesResponseSchema, create(UploadSourcesResponseSchema, added))
  else for (const { uuid, name } of added.results) printLine(`Added source ${uuid}: ${name}`)
}
