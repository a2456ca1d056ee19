// The real servers for tests: their versions, how they are built, and where they are stored.
//
// They are built once with Go, outside the checkout, and rebuilt if a version or a source changes.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The output of `go install {module}@{version}`, or of a folder here with a Go program. */
export type Origin = { module: string; version: string; installs: string } | { folder: string }

export const servers = {
  temporal: { module: 'github.com/temporalio/cli/cmd/temporal', version: 'v1.5.1', installs: 'temporal' },
  weaviate: {
    module: 'github.com/weaviate/weaviate/cmd/weaviate-server',
    version: 'v1.35.2',
    installs: 'weaviate-server',
  },
  toxiproxy: { module: 'github.com/Shopify/toxiproxy/v2/cmd/server', version: 'v2.12.0', installs: 'server' },
  ferretdb: { folder: 'ferretdb' },
} satisfies Record<string, Origin>

export type ServerName = keyof typeof servers

const serverNames = Object.keys(servers) as ServerName[]

/** Folder of the built servers. */
export const binFolder = join(homedir(), '.cache', 'lectern-servers')

/** The path of the binary of exactly this version, built or not. */
export function binaryOf(name: ServerName): string {
  return join(binFolder, `${name}-${stampOf(servers[name])}`)
}

export function missingServers(): ServerName[] {
  return serverNames.filter((name) => !existsSync(binaryOf(name)))
}

/** The version, or the first digits of the hash of the program's files. */
function stampOf(origin: Origin): string {
  if ('version' in origin) return origin.version
  const folder = folderOf(origin)
  const hash = createHash('sha256')
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()) {
    hash.update(path.slice(folder.length)).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 12)
}

export function folderOf(origin: { folder: string }): string {
  return fileURLToPath(new URL(`./${origin.folder}`, import.meta.url))
}
