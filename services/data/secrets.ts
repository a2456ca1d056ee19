// Secrets of an installation: taken from the configuration, or made at the first start in the data folder.
import { randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
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
  const secret =
    given.secret ?? (await readOrMake(join(data, 'secret'), () => randomBytes(32).toString('base64'))).text
  return { adminKey: adminKey.text, adminKeyIsNew: adminKey.isNew, secret: Buffer.from(secret, 'base64') }
}

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
