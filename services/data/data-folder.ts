// The data folder: its lock, which admits one Lectern, its file modes, and the secrets created in it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ConfigError } from '../config.ts'
import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createKey } from '../key/key-format.ts'

export type DataLock = ReturnType<typeof lockDataFolder>

/**
 * Locks the data folder, and creates it if missing. Sets the umask so that only the owner can read new files. Throws
 * ConfigError if the folder is unusable or locked by another Lectern.
 *
 * The lock is a SQLite lock on the empty file `lock`: Node has no file locks, and the operating system releases this one when
 * the process ends. The file `running` remains after a crash, so that the next start can report it.
 */
export function lockDataFolder(data: string) {
  let file: DatabaseSync
  process.umask(0o077)
  try {
    makeFolder(data)
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
    throw new ConfigError(`LECTERN_DATA: cannot lock "${data}": ${reason(error)}.`)
  }
  const mark = join(data, 'running')
  const leftBehind = existsSync(mark) ? readFileSync(mark, 'utf8') : null
  writeFileSync(mark, `Lectern ${process.pid}, started at ${new Date().toISOString()},`)
  return {
    /** `Lectern 4711, started at …` if the previous process did not release its lock; else null. */
    leftBehind,
    release() {
      rmSync(mark, { force: true })
      file.close()
    },
  }
}

/** Creates parent folders too. Node's recursive mkdir hangs where folders cannot be created, such as below /proc. */
function makeFolder(path: string) {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

const sqliteBusy = 5

function reason(error: unknown): string {
  if ((error as { errcode?: number }).errcode === sqliteBusy) return 'another Lectern runs on it'
  return error instanceof Error ? error.message : String(error)
}

export interface Secrets {
  adminKey: string
  /** Whether the admin key was created by this start. It is then shown once. */
  adminKeyIsNew: boolean
  /** 32 bytes. Signs the gateway's calls to the core, and encrypts credentials. */
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

/** Returns the given secret, or reads it from the file, which is created if missing. `secret.next`: see `replaceSecret`. */
export async function openSecret(
  data: string,
  given: string | null,
  file: 'secret' | 'secret.next' = 'secret',
): Promise<Buffer> {
  const make = () => randomBytes(32).toString('base64')
  return Buffer.from(given ?? (await readOrMake(join(data, file), make)).text, 'base64')
}

/** Replaces the secret with `secret.next`. */
export const replaceSecret = (data: string): Promise<void> =>
  rename(join(data, 'secret.next'), join(data, 'secret'))

/** Only the owner can read the file. */
async function readOrMake(path: string, make: () => string): Promise<{ text: string; isNew: boolean }> {
  const existing = await readFile(path, 'utf8').catch(ifMissing)
  if (existing?.trim()) return { text: existing.trim(), isNew: false }
  const text = make()
  // Deleted first, because the mode does not apply to an existing, empty file.
  await rm(path, { force: true })
  await writeFile(path, `${text}\n`, { mode: 0o600, flush: true })
  return { text, isNew: true }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
