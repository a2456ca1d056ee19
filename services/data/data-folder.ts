// The data folder: the lock of the one Lectern that runs on it, its file modes, and the secrets that are created in it.
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'
import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { createKey } from '../key/key-format.ts'

export interface DataLock {
  /** `Lectern 4711, started at …`, where the one before did not release its lock; else null. */
  leftBehind: string | null
  /** Whether others than the owner may look into the folder, which could not be mended. */
  isOpenToOthers: boolean
  release(): void
}

/**
 * Takes the lock of the data folder, which is made if missing. From here on what the process writes is readable by its
 * owner alone. Throws ConfigError where the folder cannot be used or a running Lectern has it.
 *
 * The lock is SQLite's own on a file `lock` that stays empty: Node has no file locks of its own, and this one goes with the
 * process, however it ends. A file `running` beside it does not, and tells the next start of an end that said nothing.
 */
export function lockDataFolder(data: string): DataLock {
  let file: DatabaseSync
  let isOpenToOthers: boolean
  process.umask(0o077)
  try {
    makeFolder(data)
    isOpenToOthers = !closeToOthers(data)
    file = new DatabaseSync(join(data, 'lock'))
  } catch (error) {
    throw new ConfigError(
      `LECTERN_DATA: got "${data}", takes a folder that can be written: ${reason(error)}.`,
    )
  }
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    throw new ConfigError(`LECTERN_DATA: cannot have "${data}" for itself: ${reason(error)}.`)
  }
  const mark = join(data, 'running')
  const leftBehind = existsSync(mark) ? readFileSync(mark, 'utf8') : null
  writeFileSync(mark, `Lectern ${process.pid}, started at ${new Date().toISOString()},`)
  return {
    leftBehind,
    isOpenToOthers,
    release() {
      rmSync(mark, { force: true })
      file.close()
    },
  }
}

/** With the folders above it. Node's own recursive mkdir never returns where the system makes none, as below /proc. */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/**
 * Whether only the owner may look into the folder. One of earlier versions is mended; one that holds other things is left
 * as it is.
 */
function closeToOthers(path: string): boolean {
  const { mode } = statSync(path)
  if ((mode & 0o077) === 0) return true
  const names = readdirSync(path)
  if (names.length > 0 && !names.includes('lectern.db')) return false
  try {
    chmodSync(path, mode & 0o700)
    return true
  } catch {
    return false
  }
}

const sqliteBusy = 5

function reason(error: unknown): string {
  if ((error as { errcode?: number }).errcode === sqliteBusy) return 'another Lectern runs on it'
  return error instanceof Error ? error.message : String(error)
}

export interface Secrets {
  adminKey: string
  /** Whether the admin key was made just now, so that it is shown once. */
  adminKeyIsNew: boolean
  /** 32 bytes: signs what the gateway tells the core, and encrypts credentials. */
  secret: Buffer
}

export async function openSecrets(
  data: string,
  given: { adminKey: string | null; secret: string | null },
): Promise<Secrets> {
  const adminKey = given.adminKey
    ? { text: given.adminKey, isNew: false }
    : await readOrMake(join(data, 'admin-key'), () => createKey(randomBytes))
  const secret = await openSecret(data, given.secret)
  return { adminKey: adminKey.text, adminKeyIsNew: adminKey.isNew, secret }
}

/** The secret that is given, or lies in the file, where it is made if missing. `secret.next`: see `replaceSecret`. */
export async function openSecret(
  data: string,
  given: string | null,
  file: 'secret' | 'secret.next' = 'secret',
): Promise<Buffer> {
  const make = () => randomBytes(32).toString('base64')
  return Buffer.from(given ?? (await readOrMake(join(data, file), make)).text, 'base64')
}

/** Puts the next secret, which stays the same until then, in the place of the secret. */
export const replaceSecret = (data: string): Promise<void> =>
  rename(join(data, 'secret.next'), join(data, 'secret'))

/** Made whole or not at all, readable by its owner only. */
async function readOrMake(path: string, make: () => string): Promise<{ text: string; isNew: boolean }> {
  const kept = await readFile(path, 'utf8').catch(ifMissing)
  if (kept?.trim()) return { text: kept.trim(), isNew: false }
  const text = make()
  const file = await open(path, 'w', 0o600)
  // An empty file of before keeps its mode.
  await file.chmod(0o600)
  await file.writeFile(`${text}\n`)
  await file.sync()
  await file.close()
  return { text, isNew: true }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
