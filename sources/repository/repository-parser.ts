// Work for repositories in the parse threads: parses responses of a Git server, navigation files, and documents in each format.
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractPlainText } from '../../crawler/extract/plain-text.ts'
import { extractAsciidoc, extractMarkdownFile, extractNotebook } from '../markup.ts'
import type { ParsedDocument, SourceParser } from '../source-type.ts'
import { isBinary } from '../web/web-parser.ts'
import { isNavigation, toFormat } from './document-paths.ts'
import type { Tree } from './git-client.ts'
import { listTree, readCapabilities, readPackfile, readRefs } from './git-protocol.ts'
import { BadPack, type GitObject, readPack } from './pack.ts'
import { extractRestructuredText } from './restructured-text.ts'

type Format = (text: string, url: string) => ExtractedPage | Promise<ExtractedPage>

const formats: Record<string, Format> = {
  'text/markdown': (text, url) => extractMarkdownFile(text, url),
  'text/mdx': (text, url) => extractMarkdownFile(text, url, { isMdx: true }),
  'text/x-rst': extractRestructuredText,
  'text/asciidoc': extractAsciidoc,
  'text/plain': extractPlainText,
  'application/x-ipynb+json': extractNotebook,
}

const maxFiles = 100_000
/** Maximum bytes of a document. */
const maxDocument = 10 * 1024 * 1024
const forDocuments = { maxObject: maxDocument, maxBytes: 128 * 1024 * 1024, maxObjects: 10_000 }
/** Large, because some servers cannot omit contents and send all of them. */
const forTrees = { maxObject: 100 * 1024 * 1024, maxBytes: 256 * 1024 * 1024, maxObjects: 1_000_000 }

export const repositoryParser: SourceParser = {
  async parse({ url, body, contentType }: ParsedDocument) {
    const text = isBinary(body) ? '' : new TextDecoder().decode(body)
    try {
      return await (formats[contentType ?? ''] ?? extractPlainText)(text, url)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return extractPlainText(text, url)
    }
  },
  tasks: {
    ...{ capabilities: readCapabilities, branch: readRefs },
    ...{ tree: toTree, contents: toContents, titles: readTitles },
  },
}

function toTree(body: Uint8Array, commit: string): Tree {
  const objects = readPack(readPackfile(body), forTrees)
  const isWanted = (path: string) => toFormat(path) !== null || isNavigation(path)
  const { files, isCut } = listTree(objects, commit, maxFiles, isWanted)
  const names = files.map(({ name }) => name)
  return { files, isCut, contents: copyContents(objects, names) }
}

/** Returns null if a smaller request may succeed. */
function toContents(body: Uint8Array): Map<string, Uint8Array> | null {
  try {
    const objects = readPack(readPackfile(body), forDocuments)
    return copyContents(objects, objects.keys())
  } catch (error) {
    if (error instanceof BadPack && error.isTooLarge) return null
    throw error
  }
}

/** Contents of documents. Copies them, so that transferring one to another thread does not copy a shared buffer. */
function copyContents(objects: Map<string, GitObject>, names: Iterable<string>): Map<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>()
  for (const name of names) {
    const object = objects.get(name)
    if (object?.type === 'blob' && object.body.length <= maxDocument)
      contents.set(name, new Uint8Array(object.body))
  }
  return contents
}

const titleNames = ['title', 'label', 'text', 'name', 'sidebarTitle']
const targetNames = ['path', 'page', 'href', 'link', 'slug', 'file', 'url']
const maxTitles = 20_000
const maxNavigationBytes = 2_000_000

/**
 * Page titles in a navigation file: pairs of path and title, from objects at any depth that have both, with any of the common names
 * of these fields. Of two titles of a page, the first in the file comes last. Empty if the file is invalid.
 */
function readTitles(path: string, body: Uint8Array): [string, string][] {
  if (body.length > maxNavigationBytes) return []
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const titles: [string, string][] = []
  function note(_: string, value: unknown) {
    const find = (names: string[]) =>
      names
        .map((name) => (value as Record<string, unknown> | null)?.[name])
        .find((field) => typeof field === 'string')
    const [title, target] = typeof value === 'object' ? [find(titleNames), find(targetNames)] : []
    if (title && target) titles.push([toPagePath(folder, target as string), title as string])
    return value
  }
  try {
    JSON.parse(new TextDecoder().decode(body), note)
  } catch {
    return []
  }
  return titles.reverse().slice(0, maxTitles)
}

const toPagePath = (folder: string, target: string) =>
  folder +
  target
    .replace(/^\.?\/+/, '')
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
