// What the parse threads do for repositories: answers of a Git server, files of navigation, and documents in each format.
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { extractPlainText } from '../../crawler/extract/plain-text.ts'
import { extractAsciidoc, extractMarkdownFile, extractNotebook } from '../markup.ts'
import type { ParsedDocument, SourceParser } from '../source-type.ts'
import { isBinary } from '../web/web-parser.ts'
import { isNavigation, toFormat } from './document-paths.ts'
import type { Refused, Tree } from './git-client.ts'
import { listTree, readCapabilities, readPackfile, readRefs } from './git-protocol.ts'
import { readTitles } from './navigation.ts'
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
/** Bytes of a document. */
const maxDocument = 10 * 1024 * 1024
const forDocuments = { maxObject: maxDocument, maxBytes: 128 * 1024 * 1024, maxObjects: 10_000 }
/** Where the server cannot leave out contents, all of them come along. */
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
    capabilities: orRefused(readCapabilities),
    branch: orRefused(readRefs),
    tree: orRefused(toTree),
    contents: orRefused(toContents),
    titles: readTitles,
  },
}

function toTree(body: Uint8Array, commit: string): Tree {
  const objects = readPack(readPackfile(body), forTrees)
  const isWanted = (path: string) => toFormat(path) !== null || isNavigation(path)
  const { files, isCut } = listTree(objects, commit, maxFiles, isWanted)
  const names = files.map(({ name }) => name)
  return { files, isCut, contents: copyContents(objects, names) }
}

function toContents(body: Uint8Array): Map<string, Uint8Array> {
  const objects = readPack(readPackfile(body), forDocuments)
  return copyContents(objects, objects.keys())
}

/** Of documents. In memory of their own, so that nothing else is copied along to another thread. */
function copyContents(objects: Map<string, GitObject>, names: Iterable<string>): Map<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>()
  for (const name of names) {
    const object = objects.get(name)
    if (object?.type === 'blob' && object.body.length <= maxDocument)
      contents.set(name, new Uint8Array(object.body))
  }
  return contents
}

function orRefused<Input extends never[], Result>(task: (...input: Input) => Result) {
  return (...input: Input): Result | Refused => {
    try {
      return task(...input)
    } catch (error) {
      if (!(error instanceof BadPack)) throw error
      return { refused: error.message, isTooLarge: error.isTooLarge }
    }
  }
}
