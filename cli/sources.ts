// `lectern sources` and `lectern test`: list, add and remove sources of a project, and test an address. Files and archives are streamed.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { InvalidArgumentError } from 'commander'
import { enumNames } from '../gateway/json/write.ts'
import {
  SourceService,
  SourceTypeSchema,
  type UploadSourcesRequestSchema,
} from '../gen/lectern/v1/source_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import {
  type Command,
  call,
  json,
  list,
  type Options,
  oneOf,
  option,
  readAddress,
  readCount,
  readNumber,
  toFields,
} from './command.ts'
import { printJson, printLine } from './print.ts'

const { method } = SourceService

/** Options that an upload takes, by its type. */
const uploadOptions: Record<string, string[]> = {
  file: ['json'],
  hosted_site: ['json', 'name', 'baseUrl', 'include', 'exclude', 'maxPages'],
}

/** `where`: paths of files, the path of a hosted site's archive, or else one address. */
async function addSource(core: CliClient, slug: string, where: string[], options: Options): Promise<void> {
  const { type } = options
  const allowed = uploadOptions[type]
  const foreign = Object.keys(options).find((name) => name !== 'type' && !allowed?.includes(name))
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
  { json, token, value, email, header, spec, ...given }: Options,
): Promise<void> {
  const credentials = { email, header, token: await readSecret(token), value: await readSecret(value) }
  const hasCredentials = Object.values(credentials).some((each) => each !== undefined)
  const source = {
    ...toFields(given),
    url,
    ...(spec !== undefined && { spec: await readSpec(spec) }),
    ...(hasCredentials && { credentials }),
  }
  const added = await core.call(method.createSource, { slug, source })
  if (json) printJson(added)
  else printLine(`Added source ${added.uuid}.`)
}

/** Prints what a crawl would do with an address, as a single page or as one of a source. Sets exit code 1 unless it is indexed. */
async function testAddress(
  core: CliClient,
  slug: string,
  url: string,
  { json, source: uuid, ...globs }: Options,
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

async function uploadFiles(core: CliClient, slug: string, paths: string[], { json }: Options): Promise<void> {
  if (paths.length === 0) throw new InvalidArgumentError('where must be the paths of files.')
  const files = paths.map((path): UploadedFile => {
    return { path, part: { case: 'file', value: { name: basename(path) } } }
  })
  printAdded(await upload(core, { slug }, files), json)
}

async function uploadSite(
  core: CliClient,
  slug: string,
  path: string | undefined,
  { json, name = '', baseUrl = '', include, exclude, maxPages }: Options,
): Promise<void> {
  if (path === undefined) throw new InvalidArgumentError('where must be the path of an archive.')
  const fields: Upload = { slug, part: { case: 'fields', value: { siteName: name, baseUrl } } }
  const added = await upload(core, fields, [{ path, part: { case: 'site', value: {} } }])
  if (!json) printAdded(added)
  if (include || exclude || maxPages) {
    const [{ uuid }] = added.results
    const change = { include, exclude, max_pages: maxPages }
    added.results = [await core.change(method.updateSource, { slug, source_uuid: uuid }, change)]
  }
  if (json) printJson(added)
}

type Upload = MessageInitShape<typeof UploadSourcesRequestSchema>

interface UploadedFile {
  path: string
  part: NonNullable<Upload['part']>
}

const pieceSize = 256 * 1024

/** Rejects with the disk's error if that ended the upload. */
async function upload(core: CliClient, first: Upload, files: UploadedFile[]): Promise<JsonObject> {
  let fault: unknown = null
  async function* messages(): AsyncGenerator<Upload> {
    try {
      yield first
      for (const { path, part } of files) {
        yield { part }
        for await (const value of createReadStream(path, { highWaterMark: pieceSize }))
          yield { part: { case: 'data', value } }
      }
      yield { finishWrite: true }
    } catch (error) {
      fault = error
      throw error
    }
  }
  let added: JsonObject = {}
  try {
    // Read to the end, which closes the connection.
    for await (const response of core.exchange(method.uploadSources, messages())) added = response
    return added
  } catch (error) {
    throw fault ?? error
  }
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
