// The address of a file: its page at the repository's host, or on the site that is built from it.
import { normalizeUrl } from '../../crawler/url.ts'

/** What stands between a repository and the branch in the address of a file, by the host's name. */
const hosts: [RegExp, string][] = [
  [/gitlab/i, '/-/blob/'],
  [/bitbucket/i, '/src/'],
  [/gitea|forgejo|codeberg/i, '/src/branch/'],
]

interface AddressOptions {
  /** Of the repository. */
  url: string
  branch: string
  /** Of the site; null: none is built from it. */
  baseUrl: string | null
  include: string[]
}

/** Null where no address can be made of the path. */
export function createAddressOf(options: AddressOptions): (path: string) => string | null {
  const { baseUrl, branch } = options
  if (baseUrl !== null) {
    const root = rootOf(options.include)
    const base = baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`
    return (path) =>
      normalizeUrl(base + encode(pageOf(path.startsWith(root) ? path.slice(root.length) : path)))
  }
  const repository = options.url.replace(/\/+$/, '').replace(/\.git$/, '')
  const infix = hosts.find(([host]) => host.test(new URL(options.url).hostname))?.[1] ?? '/blob/'
  return (path) => normalizeUrl(`${repository}${infix}${encode(branch)}/${encode(path)}`)
}

/** Without the file's ending: `guide/install`; a file named index or README is its folder: `guide/`. */
function pageOf(path: string): string {
  return path.replace(/\.[^./]+$/, '').replace(/(^|\/)(?:index|readme)$/i, '$1')
}

/** The folder that all globs begin with, where the site is built: `docs/**` → `docs/`. */
function rootOf(include: string[]): string {
  const folders = include.map((glob) => /^\/?((?:[^*?{[\\/]+\/)*)/.exec(glob)?.[1] ?? '')
  const first = folders[0] ?? ''
  return folders.every((folder) => folder === first) ? first : ''
}

const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/')
