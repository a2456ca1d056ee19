// Secrets of an installation: taken from the configuration, or made at the first start in the data folder.
import { randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createKey } from '../key/key-format.ts'

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

export async function openSecret(data: string, given: string | null): Promise<Buffer> {
  return Buffer.from(given ?? (await readOrMake(secretFile(data), makeSecret)).text, 'base64')
}

const secretFile = (data: string) => join(data, 'secret')
const makeSecret = () => randomBytes(32).toString('base64')

/** The next secret: given, or made in the data folder, the same until `replaceSecret` has put it in its place. */
export async function openNextSecret(data: string, given: string | null): Promise<Buffer> {
  return Buffer.from(given ?? (await readOrMake(nextSecretFile(data), makeSecret)).text, 'base64')
}

export const replaceSecret = (data: string): Promise<void> => rename(nextSecretFile(data), secretFile(data))

const nextSecretFile = (data: string) => join(data, 'secret.next')

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
