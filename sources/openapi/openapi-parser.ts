// Work for API descriptions in the parse threads: finds the files of a description, validates it, and prints its documents.
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractHtmlDocument } from '../html-page.ts'
import { ownAddress } from '../own-address.ts'
import { UnreadableSource } from '../source-type.ts'
import { checkDescription, type Fault } from './check.ts'
import {
  type Description,
  listOperations,
  listSchemas,
  type Operation,
  readServers,
  readVersion,
} from './description.ts'
import { type ApiDocument, createDocumentText } from './document-text.ts'
import { type Json, readFile } from './read-file.ts'
import { createReferences, findReferences, type References, type ReferredFile } from './references.ts'

export const openapiParser = {
  /** Parses a document from `documents`. */
  parse({ body }: { body: Uint8Array }): ExtractedPage {
    const { title, keywords, name, html }: ApiDocument = JSON.parse(new TextDecoder().decode(body))
    const page = extractHtmlDocument({ title, keywords, body: html }, '')
    const [first] = page.sections
    if (first && name !== undefined && name !== first.heading) first.also = [{ heading: name, anchor: null }]
    return page
  },
  tasks: { documents: toDocuments, check: checkFiles },
}

/** A fetched file, or why it could not be fetched. */
export type DescriptionFile = { url: string } & ({ body: Uint8Array } | { fault: string })

/** Why the description cannot be read yet. */
export type Missing =
  /** It refers to these files. */
  | { kind: 'wanted'; urls: string[] }
  /** It is a page that shows the description at this address. */
  | { kind: 'shown'; url: string; renderer: Renderer }

export interface Check {
  kind: 'checked'
  valid: boolean
  version: string
  title: string
  operations: number
  errors: Fault[]
}

export interface ListedDocument {
  url: string
  title: string
  /** An ApiDocument as JSON. */
  body: Uint8Array
}

export interface Documents {
  kind: 'documents'
  documents: ListedDocument[]
  /** Whether documents were omitted at the limit. */
  isCut: boolean
}

/** Maximum operations and schemas of one description. */
const maxDocuments = 20_000
/** Maximum bytes of all documents. */
const maxText = 64 * 1024 * 1024
const maxAddress = 2_000
/** Maximum nodes visited for one document. */
const maxNodes = 10_000

/** `files`: the description, then the files that it refers to. */
export function checkFiles(files: DescriptionFile[]): Check | Missing {
  return withDescription(files, (description) => {
    const errors = checkDescription(description)
    return {
      kind: 'checked',
      valid: errors.length === 0,
      version: description.version,
      title: description.root.field('info').text('title'),
      operations: [...listOperations(description)].length,
      errors,
    }
  })
}

export interface Shown {
  /** Address of the page that shows the description. Empty: use the one in the description, if any. */
  url: string
  renderer: Renderer
  /** Base address at which Lectern shows it if no other page does. */
  ownPages: string
}

export function toDocuments(files: DescriptionFile[], shown: Shown): Documents | Missing {
  return withDescription<Documents | Missing>(files, (description) => {
    const start = shown.url || findPage(description)
    const toAddress = createAddresses((anchor) =>
      start === '' ? ownAddress(shown.ownPages, anchor) : withFragment(start, anchor),
    )
    const documents: ListedDocument[] = []
    let bytesLeft = maxText
    for (const [anchor, document] of print(description, start === '' ? 'lectern' : shown.renderer)) {
      if (documents.length === maxDocuments || bytesLeft < 0)
        return { kind: 'documents', documents, isCut: true }
      const body = new TextEncoder().encode(JSON.stringify(document))
      bytesLeft -= body.length
      const url = toAddress(anchor)
      if (url !== null) documents.push({ url, title: document.title, body })
    }
    return { kind: 'documents', documents, isCut: false }
  })
}

function* print(description: Description, renderer: Renderer): Generator<[anchor: string, ApiDocument]> {
  const { references } = description
  const texts = createDocumentText(description)
  const limited = (print: () => ApiDocument): ApiDocument => {
    references.limit(maxNodes)
    const document = print()
    references.limit(Number.POSITIVE_INFINITY)
    return document
  }
  yield ['', limited(texts.overview)]
  for (const operation of listOperations(description))
    yield [operationAnchor(renderer, operation), limited(() => texts.operation(operation))]
  for (const [name, node] of listSchemas(description))
    yield [anchors[renderer].schema(name), limited(() => texts.schema(name, node))]
}

/** The address of the documentation in the description, else of its first server, else ''. */
function findPage(description: Description): string {
  const documentation = description.root.field('externalDocs').text('url')
  const addresses = [documentation, ...readServers(description, null)]
  return addresses.find((url) => /^https?:/.test(URL.parse(url)?.protocol ?? '')) ?? ''
}

function withDescription<Result>(
  files: DescriptionFile[],
  use: (description: Description) => Result,
): Result | Missing {
  const [main, ...others] = files
  if (main === undefined || 'fault' in main) throw new UnreadableSource(main?.fault ?? 'It is empty.')
  const page = findRenderer(main.body, main.url)
  if (page !== null) return { kind: 'shown', ...page }
  const root = readFile(main.body)
  const version = readVersion(root)
  const read = new Map<string, ReferredFile>([[main.url, { value: root }]])
  for (const file of others) read.set(file.url, readReferred(file))
  const references = createReferences(read)
  for (const [url, file] of read) if ('value' in file) noteReferences(file.value, url, references)
  if (references.wanted.size > 0) return { kind: 'wanted', urls: [...references.wanted] }
  return use({ version, root: references.toNode(root, main.url), file: main.url, references })
}

function readReferred(file: DescriptionFile): ReferredFile {
  if ('fault' in file) return file
  try {
    return { value: readFile(file.body) }
  } catch (error) {
    if (error instanceof UnreadableSource) return { fault: error.message }
    throw error
  }
}

/** Follows all references, which collects the addresses of other files. */
function noteReferences(value: Json, file: string, references: References) {
  for (const { reference } of findReferences(value))
    if (!reference.startsWith('#')) references.toNode({ $ref: reference }, file)
}

/** Makes addresses unique: a second operation with the same anchor gets a number. Returns null for an address that is too long. */
function createAddresses(toAddress: (anchor: string) => string | null): typeof toAddress {
  const usedAddresses = new Set<string>()
  return (anchor) => {
    for (let number = 1; ; number++) {
      const url = toAddress(number === 1 ? anchor : `${anchor}-${number}`)
      if (url === null || url.length > maxAddress) return null
      if (usedAddresses.has(url)) continue
      usedAddresses.add(url)
      return url
    }
  }
}

function withFragment(page: string, fragment: string): string {
  const url = new URL(page)
  url.hash = fragment
  return url.href
}

/** The kind of page that shows a description to readers. `lectern`: Lectern's own pages. */
export type Renderer = 'swagger-ui' | 'redoc' | 'scalar' | 'lectern'

/** Maximum characters of a tag or an id in an address. */
const maxName = 200

/** The location of an operation or a schema: a fragment of the page's address, or for `lectern` a path below it. */
interface Anchors {
  operation(operation: Operation, names: { id: string; tag: string }): string
  schema(name: string): string
}

const anchors: Record<Renderer, Anchors> = {
  /** `#/pets/listPets`; without an id `#/pets/get_pets__id_`. Schemas are elements of the page. */
  'swagger-ui': {
    operation({ method, path }, { id, tag }) {
      const name = id || `${method.toLowerCase()}_${path}`.replace(/[^\w]/g, '_')
      return `/${encode(tag || 'default')}/${encode(name)}`
    },
    schema: (name) => `model-${encode(name)}`,
  },
  /** `#tag/pets/operation/listPets`; without an id `#tag/pets/paths/~1pets~1{id}/get`. */
  redoc: {
    operation({ method, path, isWebhook }, { id, tag }) {
      const parent = tag === '' ? '' : `tag/${encode(tag.replace(/\s+/g, '-'))}/`
      if (id !== '') return `${parent}operation/${encode(id)}`
      const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1')
      return `${parent}${isWebhook ? 'webhooks' : 'paths'}/${pointer}/${method.toLowerCase()}`
    },
    schema: (name) => `schema/${encode(name)}`,
  },
  /** `#tag/pets/GET/pets/{id}`. */
  scalar: {
    operation: ({ isWebhook, method, path }, { tag }) =>
      isWebhook ? `webhook/${method}/${slug(path)}` : `tag/${slug(tag || 'default')}/${method}${path}`,
    schema: (name) => `model/${slug(name)}`,
  },
  /** `GET/pets/{id}`. */
  lectern: {
    operation: ({ isWebhook, method, path }) => `${isWebhook ? 'webhooks/' : ''}${method}/${path}`,
    schema: (name) => `schemas/${name}`,
  },
}

function operationAnchor(renderer: Renderer, operation: Operation): string {
  const { node } = operation
  const id = node.text('operationId').slice(0, maxName)
  const tag = node.texts('tags')[0]?.slice(0, maxName) ?? ''
  return anchors[renderer].operation(operation, { id, tag })
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}_-]/gu, '')
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

/** Pattern of the description's address in each renderer's page. */
const signs: [Renderer, RegExp][] = [
  ['redoc', /<redoc\b[^>]{0,500}?\bspec-url\s*=\s*["']([^"'<>]{1,2000})["']/i],
  ['redoc', /\bRedoc\.init\(\s*["'`]([^"'`]{1,2000})["'`]/],
  [
    'scalar',
    /<script\b(?=[^>]{0,500}?\bid\s*=\s*["']api-reference["'])[^>]{0,500}?\bdata-url\s*=\s*["']([^"'<>]{1,2000})["']/i,
  ],
  ['scalar', /\bcreateApiReference\([^)]{0,500}?\burl["']?\s*:\s*["'`]([^"'`]{1,2000})["'`]/],
  ['swagger-ui', /\bSwaggerUI(?:Bundle)?\(\s*\{[^}]{0,500}?\burl["']?\s*:\s*["'`]([^"'`]{1,2000})["'`]/],
]

/** Bytes in which a renderer is searched. */
const maxPage = 256 * 1024

/** Returns null if the file is not such a page. */
function findRenderer(body: Uint8Array, base: string): { renderer: Renderer; url: string } | null {
  const text = new TextDecoder().decode(body.subarray(0, maxPage))
  if (!text.trimStart().startsWith('<')) return null
  for (const [renderer, sign] of signs) {
    const address = sign.exec(text)?.[1]
    const url = address === undefined ? null : URL.parse(address.replaceAll('&amp;', '&'), base || undefined)
    if (url !== null && /^https?:$/.test(url.protocol)) return { renderer, url: url.href }
  }
  return null
}
