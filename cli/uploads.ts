// Sources that are uploaded: files, and the archive of a site. What is sent is read from the disk as the core takes it.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import {
  SourceType,
  type UploadSourcesRequestSchema,
  type UploadSourcesResponse,
  UploadSourcesResponseSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CoreClient } from './client.ts'
import { printJson, printLine } from './print.ts'

type Request = MessageInitShape<typeof UploadSourcesRequestSchema>

type UploadType = 'file' | 'hosted_site'

const pieceSize = 256 * 1024

export interface UploadOptions {
  json?: boolean
  name?: string
  baseUrl?: string
  include?: string[]
  exclude?: string[]
  maxPages?: number
}

/** What an upload takes beside its type. */
const taken: Record<UploadType, (keyof UploadOptions)[]> = {
  file: ['json'],
  hosted_site: ['json', 'name', 'baseUrl', 'include', 'exclude', 'maxPages'],
}

/** Throws where an option belongs to other types. */
export function checkUploadOptions(type: keyof typeof taken, options: object): void {
  const foreign = Object.keys(options).find(
    (name) => name !== 'type' && !(taken[type] as string[]).includes(name),
  )
  if (foreign === undefined) return
  const flag = foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw new InvalidArgumentError(`--${flag} is not for sources of type ${type}.`)
}

export async function uploadFiles(
  client: CoreClient,
  slug: string,
  paths: string[],
  { json }: UploadOptions,
): Promise<void> {
  if (paths.length === 0) throw new InvalidArgumentError('where must be the paths of files.')
  async function* messages(): AsyncGenerator<Request> {
    yield { slug }
    for (const path of paths) {
      yield { part: { case: 'file', value: { name: basename(path) } } }
      yield* piecesOf(path)
    }
  }
  printAdded(await send(client, messages()), json)
}

export async function uploadSite(
  client: CoreClient,
  slug: string,
  path: string | undefined,
  { json, name = '', baseUrl = '', include, exclude, maxPages }: UploadOptions,
): Promise<void> {
  if (path === undefined) throw new InvalidArgumentError('where must be the path of an archive.')
  const archive = path
  async function* messages(): AsyncGenerator<Request> {
    yield { slug, part: { case: 'fields', value: { siteName: name, baseUrl } } }
    yield { part: { case: 'site', value: {} } }
    yield* piecesOf(archive)
  }
  const added = await send(client, messages())
  if (!json) printAdded(added)
  const paths = [
    ...(include ? ['include'] : []),
    ...(exclude ? ['exclude'] : []),
    ...(maxPages ? ['max_pages'] : []),
  ]
  if (paths.length > 0) {
    const source = {
      type: SourceType.HOSTED_SITE,
      ...(include && { include }),
      ...(exclude && { exclude }),
      ...(maxPages && { maxPages }),
    }
    const sourceUuid = added.results[0]!.uuid
    const changed = await client.sources.updateSource({ slug, sourceUuid, source, updateMask: { paths } })
    added.results = [changed.source!]
  }
  if (json) printAdded(added, json)
}

async function* piecesOf(path: string): AsyncGenerator<Request> {
  for await (const piece of createReadStream(path, { highWaterMark: pieceSize }))
    yield { part: { case: 'data', value: piece as Buffer } }
}

/** What cannot be read here is told in place of what the core makes of it. */
async function send(client: CoreClient, messages: AsyncIterable<Request>): Promise<UploadSourcesResponse> {
  let fault: unknown = null
  async function* noting() {
    try {
      yield* messages
      yield { finishWrite: true }
    } catch (error) {
      fault = error
      throw error
    }
  }
  return client.sources.uploadSources(noting()).catch((error) => {
    throw fault ?? error
  })
}

function printAdded(added: UploadSourcesResponse, json = false): void {
  if (json) printJson(UploadSourcesResponseSchema, create(UploadSourcesResponseSchema, added))
  else for (const { uuid, name } of added.results) printLine(`Added source ${uuid}: ${name}`)
}
