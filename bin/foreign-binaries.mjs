// Removes binaries for other systems, which some packages include, and Node's headers. Run by `node bin/foreign-binaries.mjs`,
// and by `install.mjs` after each installation.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const { platform, arch } = process
const rustArch = { x64: 'x86_64', arm64: 'aarch64' }[arch]
const rustSystem = { linux: 'linux-gnu', darwin: 'apple-darwin', win32: 'windows-msvc' }[platform]

/** Folders below node_modules, and a test for entries to keep. */
const kept = [
  ['onnxruntime-node/bin/napi-v6', (name) => name === platform],
  [`onnxruntime-node/bin/napi-v6/${platform}`, (name) => name === arch],
  ['uWebSockets.js/dist/bin', (name) => name === `uws_${platform}_${arch}_127.node`],
  [
    '@temporalio/core-bridge/releases',
    (name) => name.startsWith(`${rustArch}-`) && name.endsWith(rustSystem),
  ],
  [`node-${platform}-${arch}`, (name) => name !== 'include'],
]

/** Removes them from a `node_modules`. */
export function removeForeignBinaries(modules) {
  for (const [folder, stays] of kept) {
    for (const name of namesIn(join(modules, folder))) {
      if (!stays(name)) rmSync(join(modules, folder, name), { recursive: true })
    }
  }
}

/** Returns an empty list if the package is not installed. */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

if (process.argv[1] === import.meta.filename) {
  removeForeignBinaries(join(import.meta.dirname, '..', 'node_modules'))
}
