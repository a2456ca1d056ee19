// What the parse threads do with a description: find the files that it is made of, check it, and make its documents.
import { ownAddress } from '../own-address.ts'
import { anchorsOf, type Renderer } from './anchors.ts'
import { checkDescription, type Fault } from './check.ts'
import { type Description, operationsOf, readVersion, schemasOf, serversOf } from './description.ts'
import { type ApiDocument, createDocumentText } from './document-text.ts'
import { findReferences } from './find-references.ts'
import { fieldOf, type Json, type JsonObject, textOf } from './json-value.ts'
import { readFile, UnreadableFile } from './read-file.ts'
import { createReferences, type ReferredFile } from './references.ts'
import { findRenderer } from './renderer-page.ts'

/** A file as it was fetched, or why it was not. */
export type DescriptionFile = { url: string } & ({ body: Uint8Array } | { fault: string })

/** What is asked for before the description can be read. */
export type Missing =
  /** It refers to these files. */
  | { kind: 'wanted'; urls: string[] }
  /** It is the page of a renderer, which shows the description at this address. */
  | { kind: 'shown'; url: string; renderer: Renderer }
  /** Why it cannot be read: a sentence. */
  | { kind: 'unreadable'; message: string }

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
  /** Whether there are more than may be. */
  isCut: boolean
}

/** Operations and schemas of one description that become documents. */
const maxDocuments = 20_000
/** Bytes of all of them. */
const maxText = 64 * 1024 * 1024
const maxAddress = 2_000

/** The first file is the description, the others what it refers to. */
export function checkFiles(files: DescriptionFile[]): Check | Missing {
  return withDescription(files, (description) => {
    const errors = checkDescription(description)
    return {
      kind: 'checked',
      valid: errors.length === 0,
      version: description.version,
      title: textOf(fieldOf(description.root, 'info'), 'title'),
      operations: [...operationsOf(description)].length,
      errors,
    }
  })
}

export interface Shown {
  /** Address of the page that shows the description; empty where that itself may say. */
  url: string
  /** What shows it there. */
  renderer: Renderer
  /** Where Lectern shows it, if nobody else does. */
  ownPages: string
}

export function toDocuments(files: DescriptionFile[], shown: Shown): Documents | Missing {
  return withDescription<Documents | Missing>(files, (description) => {
    const documents: ListedDocument[] = []
    const texts = createDocumentText(description)
    const start = shown.url || pageOf(description)
    const anchors = anchorsOf[start === '' ? 'lectern' : shown.renderer]
    const addressOf = createAddresses((anchor) =>
      start === '' ? ownAddress(shown.ownPages, anchor) : withFragment(start, anchor),
    )
    let left = maxText
    function add(anchor: string, document: ApiDocument): boolean {
      if (documents.length === maxDocuments || left < 0) return false
      const body = new TextEncoder().encode(JSON.stringify(document))
      left -= body.length
      const url = addressOf(anchor)
      if (url !== null) documents.push({ url, title: document.title, body })
      return true
    }
    add('', texts.overview())
    for (const operation of operationsOf(description)) {
      if (!add(anchors.operation(operation), texts.operation(operation))) return cut(documents)
    }
    for (const [name, node] of schemasOf(description)) {
      if (!add(anchors.schema(name), texts.schema(name, node))) return cut(documents)
    }
    return { kind: 'documents', documents, isCut: false }
  })
}

/** The documentation that it names, or else its first server; empty where it says neither. */
function pageOf(description: Description): string {
  const { root } = description
  const named = [textOf(fieldOf(root, 'externalDocs'), 'url'), ...serversOf(description, null)]
  return named.find((url) => /^https?:/.test(URL.parse(url)?.protocol ?? '')) ?? ''
}

function cut(documents: ListedDocument[]): Documents {
  return { kind: 'documents', documents, isCut: true }
}

function withDescription<Result>(
  files: DescriptionFile[],
  use: (description: Description) => Result,
): Result | Missing {
  const [main, ...others] = files
  if (main === undefined || 'fault' in main)
    return { kind: 'unreadable', message: main?.fault ?? 'It is empty.' }
  try {
    const shown = findRenderer(main.body, main.url)
    if (shown !== null) return { kind: 'shown', ...shown }
    const root = readFile(main.body) as JsonObject
    const version = readVersion(root)
    const read = new Map<string, ReferredFile>([[main.url, { value: root }]])
    for (const file of others) read.set(file.url, readReferred(file))
    const references = createReferences(read)
    for (const [url, file] of read) if ('value' in file) noteReferences(file.value, url, references)
    if (references.wanted.size > 0) return { kind: 'wanted', urls: [...references.wanted] }
    return use({ version, root, file: main.url, references })
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: 'unreadable', message: error.message }
    throw error
  }
}

function readReferred(file: DescriptionFile): ReferredFile {
  if ('fault' in file) return file
  try {
    return { value: readFile(file.body) }
  } catch (error) {
    if (error instanceof UnreadableFile) return { fault: error.message }
    throw error
  }
}

/** Follows those that lead to other files, so that they are known. */
function noteReferences(value: Json, file: string, references: ReturnType<typeof createReferences>) {
  for (const { reference } of findReferences(value)) {
    if (!reference.startsWith('#')) references.follow({ value: { $ref: reference }, file })
  }
}

/** Each address once: where two operations have one anchor, the second has a number. Null where it is too long. */
function createAddresses(toAddress: (anchor: string) => string | null): typeof toAddress {
  const taken = new Set<string>()
  return (anchor) => {
    for (let number = 1; ; number++) {
      const url = toAddress(number === 1 ? anchor : `${anchor}-${number}`)
      if (url === null || url.length > maxAddress) return null
      if (taken.has(url)) continue
      taken.add(url)
      return url
    }
  }
}

function withFragment(page: string, fragment: string): string {
  const url = new URL(page)
  url.hash = fragment
  return url.href
}
