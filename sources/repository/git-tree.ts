// The files of a commit, from the trees of a pack (gitformat-pack(5)). Runs in a parse thread.
import { BadPack, type GitObject } from './pack.ts'

export interface TreeFile {
  path: string
  /** Name of its content. */
  name: string
  kind: 'file' | 'link' | 'submodule'
}

const maxEntries = 1_000_000
const maxDepth = 100
const nameLength = 20

/** Those that `isWanted` takes, in the order of their paths, at most `max`. Throws BadPack. */
export function listTree(
  objects: Map<string, GitObject>,
  commit: string,
  max: number,
  isWanted: (path: string) => boolean,
): { files: TreeFile[]; isCut: boolean } {
  const files: TreeFile[] = []
  let isCut = false
  let entries = 0

  function walk(tree: string, folder: string, depth: number) {
    const { body } = objectOf(objects, tree, 'tree')
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
      // What no file system takes is no file.
      if (/^\.{0,2}$|^\.git$|[/\\\p{Cc}]/iu.test(base)) continue
      const path = folder + base
      if (mode === '40000') walk(name, `${path}/`, depth + 1)
      else if (isWanted(path) || mode === '160000') {
        if (files.length === max) isCut = true
        else files.push({ path, name, kind: kinds[mode] ?? 'file' })
      }
    }
  }

  const root = /^tree ([0-9a-f]{40})\n/.exec(objectOf(objects, commit, 'commit').body.toString('latin1'))?.[1]
  if (root === undefined) throw new BadPack('The pack is damaged: its commit names no tree.')
  walk(root, '', 0)
  return { files, isCut }
}

const kinds: Record<string, TreeFile['kind']> = { '120000': 'link', '160000': 'submodule' }

function objectOf(objects: Map<string, GitObject>, name: string, type: GitObject['type']): GitObject {
  const object = objects.get(name)
  if (object?.type !== type) throw new BadPack(`The server left out a ${type} of the branch.`)
  return object
}
