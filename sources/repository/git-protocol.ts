// The subset of Git's HTTP protocol version 2 (gitprotocol-v2(5)) that reads a branch: builds requests, and parses responses in a
// parse thread.
import { BadPack, type GitObject } from './pack.ts'

const flush = '0000'
const delimiter = '0001'

const line = (text: string) => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`

function request(command: string, parameters: string[]): Uint8Array {
  const capabilities = [`command=${command}`, 'agent=lectern', 'object-format=sha1']
  return Buffer.from(capabilities.map(line).join('') + delimiter + parameters.map(line).join('') + flush)
}

/** Requests the branch, or the repository's default branch. */
export function askRefs(branch: string | null): Uint8Array {
  const prefixes = branch === null ? ['ref-prefix HEAD'] : [`ref-prefix refs/heads/${branch}`]
  return request('ls-refs', ['symrefs', ...prefixes])
}

/** Requests a commit without its history. `isFiltered`: omit the contents of files, if the server supports it. */
export function askCommit(commit: string, isFiltered: boolean): Uint8Array {
  const filter = isFiltered ? ['filter blob:none'] : []
  return request('fetch', ['no-progress', 'deepen 1', ...filter, `want ${commit}`, 'done'])
}

/** Requests the contents of files by their object names. */
export function askBlobs(names: string[]): Uint8Array {
  return request('fetch', ['no-progress', ...names.map((name) => `want ${name}`), 'done'])
}

/** Capabilities of the server. Null if it does not support version 2. */
export interface Capabilities {
  hasFilter: boolean
  isSha1: boolean
}

export function readCapabilities(body: Uint8Array): Capabilities | null {
  const lines = readLines(Buffer.from(body)).map((bytes) => bytes?.toString('utf8').trimEnd() ?? '')
  if (!lines.includes('version 2')) return null
  const valueNamed = (name: string) => lines.find((text) => text === name || text.startsWith(`${name}=`))
  return {
    hasFilter: /[= ]filter(?: |$)/.test(valueNamed('fetch') ?? ''),
    isSha1: !/=sha256/.test(valueNamed('object-format') ?? ''),
  }
}

export interface Branch {
  name: string
  commit: string
}

/** Returns null if the branch is missing or the repository is empty. */
export function readRefs(body: Uint8Array, branch: string | null): Branch | null {
  for (const bytes of readLines(Buffer.from(body))) {
    const [commit = '', ref = '', ...attributes] = bytes?.toString('utf8').trimEnd().split(' ') ?? []
    if (!/^[0-9a-f]{40}$/.test(commit)) continue
    if (branch !== null && ref === `refs/heads/${branch}`) return { name: branch, commit }
    const target = attributes.find((attribute) => attribute.startsWith('symref-target:refs/heads/'))
    if (branch === null && ref === 'HEAD') {
      return { name: target?.slice('symref-target:refs/heads/'.length) ?? 'HEAD', commit }
    }
  }
  return null
}

/** Extracts the pack from a response to `fetch`: the parts of band 1 after the line `packfile`. */
export function readPackfile(body: Uint8Array): Buffer {
  const parts: Buffer[] = []
  let inPack = false
  for (const bytes of readLines(Buffer.from(body))) {
    if (bytes === null) continue
    if (!inPack) {
      if (bytes.toString('latin1').startsWith('ERR '))
        throw new BadPack('The server refused to send the files.')
      inPack = bytes.toString('latin1').trimEnd() === 'packfile'
    } else if (bytes[0] === 1) parts.push(bytes.subarray(1))
    else if (bytes[0] === 3) throw new BadPack('The server failed while it sent the files.')
  }
  return Buffer.concat(parts)
}

/** Each line starts with its length in four hexadecimal digits, which count themselves. Null is a delimiter. */
function readLines(body: Buffer): (Buffer | null)[] {
  const lines: (Buffer | null)[] = []
  for (let at = 0; at < body.length; ) {
    const digits = body.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new BadPack('The response is not from a Git server.')
    const length = Number.parseInt(digits, 16)
    if (at + length > body.length) throw new BadPack('The response of the server is cut off.')
    lines.push(length < 4 ? null : body.subarray(at + 4, at + length))
    at += Math.max(4, length)
  }
  return lines
}

export interface TreeFile {
  path: string
  /** Object name of its content. */
  name: string
  kind: 'file' | 'link' | 'submodule'
}

const maxEntries = 1_000_000
const maxDepth = 100
const nameLength = 20

/** The files that `isWanted` accepts, at most `max`, ordered by path. Throws BadPack. */
export function listTree(
  objects: Map<string, GitObject>,
  commit: string,
  max: number,
  isWanted: (path: string) => boolean,
): { files: TreeFile[]; isCut: boolean } {
  const files: TreeFile[] = []
  let isCut = false
  let entries = 0

  function getBody(name: string, type: GitObject['type']): Buffer {
    const object = objects.get(name)
    if (object?.type !== type) throw new BadPack(`The server left out a ${type} of the branch.`)
    return object.body
  }

  function walk(tree: string, folder: string, depth: number) {
    const body = getBody(tree, 'tree')
    if (depth > maxDepth) throw new BadPack(`Its folders are nested more than ${maxDepth} deep.`)
    for (let at = 0; at < body.length; ) {
      const space = body.indexOf(32, at)
      const end = body.indexOf(0, space)
      if (space < 0 || end < 0 || end + nameLength >= body.length + 1)
        throw new BadPack('The pack is damaged.')
      const mode = body.toString('latin1', at, space)
      const base = body.toString('utf8', space + 1, end)
      const name = body.toString('hex', end + 1, end + 1 + nameLength)
      at = end + 1 + nameLength
      entries += 1
      if (entries > maxEntries) throw new BadPack(`It has more than ${maxEntries} files and folders.`)
      // File systems refuse such a name.
      if (/^\.{0,2}$|^\.git$|[/\\\p{Cc}]/iu.test(base)) continue
      const path = folder + base
      if (mode === '40000') walk(name, `${path}/`, depth + 1)
      else if (isWanted(path) || mode === '160000') {
        if (files.length === max) isCut = true
        else files.push({ path, name, kind: kinds[mode] ?? 'file' })
      }
    }
  }

  const root = /^tree ([0-9a-f]{40})\n/.exec(getBody(commit, 'commit').toString('latin1'))?.[1]
  if (root === undefined) throw new BadPack('The pack is damaged: its commit names no tree.')
  walk(root, '', 0)
  return { files, isCut }
}

const kinds: Record<string, TreeFile['kind']> = { '120000': 'link', '160000': 'submodule' }
