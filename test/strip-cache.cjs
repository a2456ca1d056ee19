// Preloaded by the processes and threads of the tests. Caches each TypeScript file of Lectern without its types, by the hash of its
// text, beside Node's compile cache. Node 22 caches only what V8 compiles, and strips the types again in each process and thread,
// which takes a quarter of the processor time of a start.
const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { registerHooks, stripTypeScriptTypes } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { threadId } = require('node:worker_threads')

const root = pathToFileURL(join(__dirname, '../')).href
const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env

// Older versions of Node, which site generators may run on, have no hooks.
if (registerHooks && NODE_COMPILE_CACHE && !NODE_DISABLE_COMPILE_CACHE) {
  const folder = join(NODE_COMPILE_CACHE, 'stripped')
  mkdirSync(folder, { recursive: true })
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(root) || !url.endsWith('.ts')) return nextLoad(url, context)
      return { format: 'module', source: readStripped(folder, new URL(url)), shortCircuit: true }
    },
  })
}

function readStripped(folder, url) {
  const text = readFileSync(url, 'utf8')
  const path = join(folder, createHash('sha256').update(text).digest('hex'))
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const stripped = stripTypeScriptTypes(text)
  // Renamed when complete: the process may be killed at any time.
  const draft = `${path}.${process.pid}.${threadId}`
  writeFileSync(draft, stripped)
  renameSync(draft, path)
  return stripped
}
