// Sources that are uploaded: files, and the archive of a site. What is sent is read from the disk as the core takes it.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import { type UploadSourcesRequestSchema, UploadSourcesResponseSchema } from '../gen/lectern/v1/source_pb.js'
import type { CoreClient } from './client.ts'
import { printJson, printLine } from './print.ts'

type Request = MessageInitShape<typeof UploadSourcesRequestSchema>

export const uploadTypes = ['file', 'hosted_site'] as const

const pieceSize = 256 * 1024

interface UploadOptions {
  json?: boolean
  name?: string
  baseUrl?: string
}

export async function uploadFiles(
  client: CoreClient,
  slug: string,
  paths: string[],
  { json }: UploadOptions,
): Promise<void> {
  if (paths.length === 0) throw new InvalidArgumentError('It takes the paths of files.')
  async function* messages(): AsyncGenerator<Request> {
    yield { slug }
    for (const path of paths) {
      yield { part: { case: 'file', value: { name: basename(path) } } }
      yield* piecesOf(path)
    }
  }
  await send(client, messages(), json)
}

export async function uploadSite(
  client: CoreClient,
  slug: string,
  path: string | undefined,
  { json, name = '', baseUrl = '' }: UploadOptions,
): Promise<void> {
  if (path === undefined) throw new InvalidArgumentError('It takes the path of an archive.')
  const archive = path
  async function* messages(): AsyncGenerator<Request> {
    yield { slug, part: { case: 'fields', value: { siteName: name, baseUrl } } }
    yield { part: { case: 'site', value: {} } }
    yield* piecesOf(archive)
  }
  await send(client, messages(), json)
}

async function* piecesOf(path: string): AsyncGenerator<Request> {
  for await (const piece of createReadStream(path, { highWaterMark: pieceSize }))
    yield { part: { case: 'data', value: piece as Buffer } }
}

/** What cannot be read here is told in place of what the core makes of it. */
async function send(client: CoreClient, messages: AsyncIterable<Request>, json = false): Promise<void> {
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
  const answer = await client.sources.uploadSources(noting()).catch((error) => {
    throw fault ?? error
  })
  if (json) printJson(UploadSourcesResponseSchema, create(UploadSourcesResponseSchema, answer))
  else for (const { uuid, name } of answer.results) printLine(`Source ${uuid} has been added: ${name}`)
}
