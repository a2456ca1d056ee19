// Documents in one branch of a Git repository, over https, or over http from hosts in LECTERN_CRAWL_ALLOW. Lists the files, then
// fetches changed contents in batches.
import { createHash } from 'node:crypto'
import { failed } from '../../crawler/fetch-result.ts'
import { readGlob } from '../../crawler/glob.ts'
import { normalizeUrl } from '../../crawler/url.ts'
import {
  type Reading,
  type SourceReader,
  type SourceSettings,
  type SourceTools,
  type SourceType,
  UnreadableSource,
} from '../source-type.ts'
import { isNavigation, listPageNames, toFormat } from './document-paths.ts'
import { type Content, createGitClient, type Tree } from './git-client.ts'
import type { TreeFile } from './git-protocol.ts'

export const repositoryType: SourceType = {
  identity: ({ url, options }) => (options.branch === undefined ? url : `${url}#${options.branch}`),
  credentials: { required: ['token'] },
  open: createRepositoryReader,
  parser: async () => (await import('./repository-parser.ts')).repositoryParser,
}

const fetchedAtOnce = 256

interface Document extends TreeFile {
  url: string
  /** From a navigation file, or null. */
  title: string | null
  place: number
}

function createRepositoryReader(settings: SourceSettings, tools: SourceTools): SourceReader {
  const { url, options } = settings
  const git = createGitClient(url, tools.credentials?.token ?? null, tools)
  const isWanted = createFilter(settings)
  const contents = new Map<string, Content>()
  let documents: Document[] = []
  let byUrl = new Map<string, Document>()
  let loading: Promise<void> | null = null

  async function readTree() {
    const branch = await git.branch(options.branch ?? null)
    const tree = await git.tree(branch)
    const titles = await readTitles(tree)
    const toAddress = createToAddress(settings, branch.name)
    byUrl = new Map()
    for (const file of tree.files) {
      if (file.kind !== 'submodule' && toFormat(file.path) === null) continue
      const address = isWanted(file.path) ? toAddress(file.path) : null
      if (address === null || byUrl.has(address)) continue
      const names = listPageNames(file.path)
      const title = names.map((path) => titles.get(path)).find(Boolean) ?? null
      byUrl.set(address, { ...file, url: address, title, place: byUrl.size })
      const content = tree.contents.get(file.name)
      if (content !== undefined) contents.set(file.name, content)
    }
    documents = [...byUrl.values()]
    return tree.isCut
  }

  async function readTitles({ files, contents: sent }: Tree): Promise<Map<string, string>> {
    const maps = files.filter(({ path, kind }) => kind === 'file' && isNavigation(path))
    const missing = maps.filter(({ name }) => !sent.has(name)).map(({ name }) => name)
    const found = missing.length > 0 ? await git.contents(missing) : new Map<string, Content>()
    const titles = new Map<string, string>()
    for (const { path, name } of maps) {
      const body = sent.get(name) ?? found.get(name)
      if (!(body instanceof Uint8Array)) continue
      for (const [page, title] of await tools.read<[string, string][]>('titles', path, body))
        titles.set(page, title)
    }
    return titles
  }

  /** Fetches the contents of this document and of changed ones after it. */
  async function load({ place }: Document): Promise<void> {
    const next = documents.slice(place, place + fetchedAtOnce).filter(({ kind }) => kind === 'file')
    const known = await tools.known(next.map((document) => document.url))
    const isNeeded = (document: Document, at: number) =>
      document.place === place || (known[at]?.etag !== toEtag(document) && !contents.has(document.name))
    const names = new Set(next.filter(isNeeded).map(({ name }) => name))
    for (const [name, content] of await git.contents([...names])) contents.set(name, content)
  }

  async function loadContent(document: Document): Promise<Content> {
    for (;;) {
      const content = contents.get(document.name)
      contents.delete(document.name)
      if (content !== undefined) return content
      loading ??= load(document).finally(() => {
        loading = null
      })
      await loading
    }
  }

  async function readFile(document: Document): Promise<Reading> {
    let content: Content
    try {
      content = await loadContent(document)
    } catch (error) {
      if (!(error instanceof UnreadableSource)) throw error
      return failed('connection', error.message, false)
    }
    if (content === 'too large') return failed('too_large', 'It has more than 10 MB.', true)
    if (content === 'missing') return failed('connection', 'The server did not send it.', true)
    if (isPointer(content)) return skipped('Its content is in Git LFS, which is not read.')
    const { path, title } = document
    const etag = toEtag(document)
    return { kind: 'document', body: content, contentType: toFormat(path), title, etag, lastModified: null }
  }

  return {
    async *list() {
      const isCut = await readTree()
      const message = `The repository has more than ${documents.length} files: the rest was left out.`
      yield { documents, warnings: isCut ? [{ url, message }] : [] }
    },
    async fetch(address, known) {
      const document = byUrl.get(address)
      if (document === undefined) return { kind: 'gone', message: 'The branch no longer has the file.' }
      if (document.kind === 'link')
        return skipped('It is a symbolic link: its target is read at its own path.')
      if (document.kind === 'submodule')
        return skipped('It is another repository: add it as a separate source.')
      return known.etag === toEtag(document) ? { kind: 'unchanged' } : readFile(document)
    },
  }
}

/** The object name of its content, and a hash of its title from the navigation. */
function toEtag({ name, title }: Document): string {
  return title === null
    ? name
    : `${name}.${createHash('sha256').update(title).digest('base64url').slice(0, 12)}`
}

const pointerStart = Buffer.from('version https://git-lfs.github.com/spec/')
const isPointer = (content: Uint8Array) => pointerStart.equals(content.subarray(0, pointerStart.length))

function skipped(message: string): Reading {
  return { kind: 'skipped', reason: 'no_content', message, answered: false }
}

/** Globs match paths from the repository's root. */
function createFilter({ include, exclude }: SourceSettings): (path: string) => boolean {
  const includes = include.map(readGlob)
  const excludes = exclude.map(readGlob)
  return (path) => {
    const address = `https://repository.invalid/${path.split('/').map(encodeURIComponent).join('/')}`
    if (excludes.some((glob) => glob.matches(address))) return false
    return includes.length === 0 || includes.some((glob) => glob.matches(address))
  }
}

/** Host → path between repository and branch in the address of a file. */
const hosts: [RegExp, string][] = [
  [/gitlab/i, '/-/blob/'],
  [/bitbucket/i, '/src/'],
  [/gitea|forgejo|codeberg/i, '/src/branch/'],
]

/** The returned function returns null if the path has no valid address. */
function createToAddress(
  { url, include, options: { baseUrl } }: SourceSettings,
  branch: string,
): (path: string) => string | null {
  if (baseUrl !== undefined) {
    const root = findRoot(include)
    const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`
    return (path) =>
      normalizeUrl(base + encode(toPagePath(path.startsWith(root) ? path.slice(root.length) : path)))
  }
  const repository = url.replace(/\/+$/, '').replace(/\.git$/, '')
  const infix = hosts.find(([host]) => host.test(new URL(url).hostname))?.[1] ?? '/blob/'
  return (path) => normalizeUrl(`${repository}${infix}${encode(branch)}/${encode(path)}`)
}

/** Removes the extension: `guide/install`. A file named index or README becomes its folder: `guide/`. */
function toPagePath(path: string): string {
  return path.replace(/\.[^./]+$/, '').replace(/(^|\/)(?:index|readme)$/i, '$1')
}

/** The folder that all globs share, which is the root of the built site: `docs/**` → `docs/`. */
function findRoot(include: string[]): string {
  const folders = include.map((glob) => /^\/?((?:[^*?{[\\/]+\/)*)/.exec(glob)?.[1] ?? '')
  const first = folders[0] ?? ''
  return folders.every((folder) => folder === first) ? first : ''
}

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/')
