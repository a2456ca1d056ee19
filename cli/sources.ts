// `lectern sources` and `lectern test`: list, add and remove sources of a project, and test an address. Files and archives are streamed.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import { enumNames, writeMessage } from '../gateway/json/write.ts'
import {
  SourceService,
  SourceTypeSchema,
  type UploadSourcesRequestSchema,
  UploadSourcesResponseSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import {
  type Command,
  call,
  json,
  list,
  oneOf,
  option,
  type PrintOptions,
  readAddress,
  readCount,
  readNumber,
} from './command.ts'
import { printJson, printLine } from './print.ts'

const { method } = SourceService

interface AddOptions extends PrintOptions {
  type: string
  name?: string
  include?: string[]
  exclude?: string[]
  maxPages?: number
  maxDepth?: number
  branch?: string
  baseUrl?: string
  /** Path of the API description, in JSON or YAML. */
  spec?: string
  spaceKey?: string
  email?: string
  header?: string
  /** Path of the file with the token. */
  token?: string
  /** Path of the file with the header's value. */
  value?: string
}

/** Options that an upload takes, by its type. */
const uploadOptions: Record<string, (keyof AddOptions)[]> = {
  file: ['json'],
  hosted_site: ['json', 'name', 'baseUrl', 'include', 'exclude', 'maxPages'],
}

/** `where`: paths of files, the path of a hosted site's archive, or else one address. */
async function addSource(core: CliClient, slug: string, where: string[], options: AddOptions): Promise<void> {
  const { type } = options
  const allowed = uploadOptions[type]
  const foreign = Object.keys(options).find((name) => name !== 'type' && !allowed?.includes(name as never))
  if (allowed && foreign !== undefined) {
    const flag = foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw new InvalidArgumentError(`--${flag} is not for sources of type ${type}.`)
  }
  if (type === 'file') return uploadFiles(core, slug, where, options)
  const [first, ...others] = where
  if (others.length > 0)
    throw new InvalidArgumentError('where must be one address, or the path of one archive.')
  if (type === 'hosted_site') return uploadSite(core, slug, first, options)
  return addOther(core, slug, first, options)
}

async function addOther(
  core: CliClient,
  slug: string,
  url: string | undefined,
  { json, token, value, email, header, spec, maxPages, maxDepth, baseUrl, spaceKey, ...given }: AddOptions,
): Promise<void> {
  const credentials = { email, header, token: await readSecret(token), value: await readSecret(value) }
  const hasCredentials = Object.values(credentials).some((each) => each !== undefined)
  const source = {
    ...given,
    ...{ url, max_pages: maxPages, max_depth: maxDepth, base_url: baseUrl, space_key: spaceKey },
    ...(spec !== undefined && { spec: await readSpec(spec) }),
    ...(hasCredentials && { credentials }),
  }
  const added = await core.call(method.createSource, { slug, source })
  if (json) printJson(added)
  else printLine(`Added source ${added.uuid}.`)
}

interface TestOptions extends PrintOptions {
  source?: string
  include?: string[]
  exclude?: string[]
}

/** Prints what a crawl would do with an address, as a single page or as one of a source. Sets exit code 1 unless it is indexed. */
async function testAddress(
  core: CliClient,
  slug: string,
  url: string,
  { json, source: uuid, ...globs }: TestOptions,
): Promise<void> {
  const source = uuid === undefined ? { ...globs, type: 'url', url } : globs
  const tested = await core.call(method.testUrl, { slug, url, source_uuid: uuid, source })
  const { outcome, message, title, headings } = tested
  if (outcome !== 'indexed') process.exitCode = 1
  if (json) return printJson(tested)
  for (const line of [`${outcome}  ${url}`, message, ...(title === null ? [] : [title])]) printLine(line)
  for (const heading of headings) printLine(`  ${heading}`)
}

async function readSpec(file: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(await readText(file), { logLevel: 'silent' })
}

/** Reads a secret from a file: on the command line, it would show in the process list. */
async function readSecret(file: string | undefined): Promise<string | undefined> {
  return file && (await readText(file)).trim()
}

function readText(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8')
}

type Request = MessageInitShape<typeof UploadSourcesRequestSchema>

const pieceSize = 256 * 1024

async function uploadFiles(
  core: CliClient,
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
  printAdded(await send(core, messages()), json)
}

async function uploadSite(
  core: CliClient,
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
  const added = await send(core, messages())
  if (!json) printAdded(added)
  if (include || exclude || maxPages) {
    const [{ uuid }] = added.results
    const change = { include, exclude, max_pages: maxPages }
    added.results = [await core.change(method.updateSource, { slug, source_uuid: uuid }, change)]
  }
  if (json) printJson(added)
}

async function* readPieces(path: string): AsyncGenerator<Request> {
  for await (const piece of createReadStream(path, { highWaterMark: pieceSize }))
    yield { part: { case: 'data', value: piece as Buffer } }
}

/** Rejects with the disk's error if that ended the upload. */
async function send(core: CliClient, messages: AsyncIterable<Request>): Promise<JsonObject> {
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
  const added = await core.sources.uploadSources(watched()).catch((error) => {
    throw fault ?? error
  })
  return writeMessage(UploadSourcesResponseSchema, added) as JsonObject
}

function printAdded(added: JsonObject, json = false): void {
  if (json) printJson(added)
  else for (const { uuid, name } of added.results) printLine(`Added source ${uuid}: ${name}`)
}

export const sourceCommands: Command[] = [
  {
    usage: 'test <slug> <url>',
    about:
      'show what a crawl would do with an address, without writing anything; fails unless it would be indexed',
    arguments: { url: ['address of the page', readAddress] },
    options: [
      option('--source <uuid>', 'apply the rules of this source; a single page if left out'),
      option('--include <glob...>', 'in place of the globs of the source'),
      option('--exclude <glob...>', 'in place of the globs of the source'),
      json,
    ],
    run: testAddress,
  },
  {
    usage: 'sources list <slug>',
    isDefault: true,
    options: [json],
    run: list(method.listSources, ['slug'], {
      UUID: 'uuid',
      TYPE: 'type',
      STATE: 'state',
      PAGES: 'page_count',
      NAME: 'name',
      ERROR: 'last_error',
    }),
  },
  {
    usage: 'sources add <slug> [where...]',
    about: 'add a source; the next sync reads it',
    arguments: {
      where: ['start address; for file: paths of files; for hosted_site: path of the archive'],
    },
    options: [
      oneOf('--type <type>', 'what it is', enumNames(SourceTypeSchema)).default('site'),
      option('--name <name>', 'for people; made from the address if left out'),
      option('--include <glob...>', 'addresses or paths to take'),
      option('--exclude <glob...>', 'addresses or paths to leave out'),
      option('--max-pages <number>', 'of a site').argParser(readNumber),
      option('--max-depth <number>', 'links to follow away from the start of a site').argParser(readCount),
      option('--branch <name>', 'of a repository; its own default if left out'),
      option(
        '--base-url <url>',
        'address for links to pages: the site of a repository, the page of an API, the address of an uploaded site',
      ).argParser(readAddress),
      option('--spec <file>', 'API description in JSON or YAML, in place of an address; - is standard input'),
      option('--space-key <key>', 'of a space of Confluence'),
      option('--email <email>', 'of the account that the token belongs to'),
      option('--header <name>', 'HTTP header that an API description is read with'),
      option('--value <file>', 'file that holds the value of the header; - is standard input'),
      option('--token <file>', 'file that holds the access token; - is standard input'),
      json,
    ],
    run: addSource,
  },
  {
    usage: 'sources remove <slug> <uuid>',
    run: call(
      method.deleteSource,
      ['slug', 'source_uuid'],
      ({ source_uuid: uuid }) => `Removed source ${uuid}.`,
    ),
  },
]
