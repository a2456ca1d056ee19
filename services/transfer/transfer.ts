// `lectern export`, `lectern import` and `lectern rotate-secret`, which open the store and the index. Only export works while
// Lectern is running.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, isEmbedded, toBackends } from '../config.ts'
import { lockDataFolder, openSecret, openSecrets, replaceSecret } from '../data/data-folder.ts'
import { checkDrivers, openIndex, openSnapshot, openStore } from '../drivers.ts'
import { type CredentialKeeper, createCredentialKeeper } from '../source/credentials.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'
import { type Counts, exportStore, importStore, toArchiveSecret } from './archive.ts'

/** May be called many times per second. */
type ReportProgress = (sentence: string) => void

/** Works while Lectern is running. Rejects with ConfigError if the data folder has no data of Lectern. */
export async function exportTo(path: string, config: Config, report: ReportProgress): Promise<Counts> {
  // Opening the store would create it.
  if (config.mongodb === null && !existsSync(join(config.data, 'lectern.db'))) throw notFound(config)
  checkDrivers(config)
  const secret = await archiveSecret(config)
  const store = await openSnapshot(toBackends(config), `${path}.snapshot`)
  try {
    if ((await store.teams.first()) === null) throw notFound(config)
    const progress = (rows: number) => report(`${rows} rows written`)
    return await exportStore({ store, path, secret, now: () => new Date(), progress })
  } finally {
    await store.close()
  }
}

/** Rejects with ConfigError if Lectern is running. `isOtherSecret`: whether the archive has another LECTERN_SECRET. */
export async function importFrom(
  path: string,
  config: Config,
  isOtherSecret: boolean,
  report: ReportProgress,
): Promise<Counts> {
  return withBackends(config, async (secret) => {
    const store = await openStore(toBackends(config), 'work')
    const index = await openIndex(toBackends(config))
    try {
      const progress = (doing: string, rows: number) => report(`${rows} rows ${doing}`)
      return await importStore({ store, index, path, secret, isOtherSecret, progress })
    } finally {
      await index.close()
      await store.close()
    }
  })
}

export interface Rotated {
  /** Number of sources whose credentials are encrypted with the new secret. */
  sources: number
  /** Names of sources whose credentials neither secret decrypts. They have to be set again. */
  lost: string[]
}

/**
 * Encrypts all credentials with a new secret: LECTERN_NEW_SECRET, or a generated one if the secret is in the data folder, which
 * it then replaces. Rejects with ConfigError if Lectern is running, or the data folder has no data of
 * Lectern.
 */
export async function rotateSecret(config: Config): Promise<Rotated> {
  if (config.secret !== null && config.newSecret === null) {
    throw new ConfigError(
      'LECTERN_NEW_SECRET: is not set, takes 32 bytes in base64 where LECTERN_SECRET is set.',
    )
  }
  if (isEmbedded(toBackends(config)) && !existsSync(config.data)) throw notFound(config)
  return withBackends(config, async () => {
    const { data, secret, newSecret } = config
    const isInFolder = secret === null
    const old = createCredentialKeeper(await openSecret(data, secret))
    const next = createCredentialKeeper(await openSecret(data, isInFolder ? null : newSecret, 'secret.next'))
    const store = await openStore(toBackends(config), 'work')
    try {
      const rotated = await reencrypt(store, old, next)
      if (isInFolder) await replaceSecret(data)
      return rotated
    } finally {
      await store.close()
    }
  })
}

function notFound({ mongodb, data }: Config): ConfigError {
  return new ConfigError(
    mongodb
      ? 'LECTERN_MONGODB_URL: takes the database of a Lectern: this one has none of its data.'
      : `LECTERN_DATA: got "${data}", takes the data folder of a Lectern: this one has none of its data.`,
  )
}

async function archiveSecret(config: Config): Promise<string> {
  return toArchiveSecret((await openSecrets(config.data, config)).secret)
}

async function withBackends<Result>(
  config: Config,
  work: (secret: string) => Promise<Result>,
): Promise<Result> {
  checkDrivers(config)
  const lock = isEmbedded(toBackends(config)) ? lockDataFolder(config.data) : null
  try {
    return await work(await archiveSecret(config))
  } finally {
    lock?.release()
  }
}

async function reencrypt(store: Store, old: CredentialKeeper, next: CredentialKeeper): Promise<Rotated> {
  const rotated: Rotated = { sources: 0, lost: [] }
  for (const { uuid } of await store.projects.all()) {
    for (const source of await store.sources.all(uuid)) {
      const isSealed = await sealSource(store, source, old, next)
      if (isSealed) rotated.sources += 1
      else if (isSealed === false) rotated.lost.push(source.name)
    }
  }
  return rotated
}

/** Can be repeated. Null if the source has no credentials, false if neither secret decrypts them. */
async function sealSource(store: Store, first: Source, old: CredentialKeeper, next: CredentialKeeper) {
  let source: Source | null = first
  while (source !== null && source.credentials !== null) {
    const { uuid, credentials, revision } = source
    if (next.open(uuid, credentials) !== null) return true
    const opened = old.open(uuid, credentials)
    if (opened === null) return false
    const changed = { ...source, credentials: next.seal(uuid, opened), revision: revision + 1 }
    if (await store.sources.update(changed)) return true
    source = await store.sources.get(source.project, uuid)
  }
  return null
}
