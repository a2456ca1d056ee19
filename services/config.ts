// The only reader of the environment. A bad value stops the start with one line that names the variable, what it got
// and what it takes.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readAllowList } from '../crawler/address.ts'
import {
  checkRole,
  type Role,
  readCoreUrls,
  readMongodb,
  readTemporal,
  readWeaviate,
  roles,
  type TemporalConfig,
  type WeaviateConfig,
} from './config/backends.ts'
import { type EmbeddingsConfig, type LlmConfig, readEmbeddings, readLlm } from './config/models.ts'
import { createVariables, type Environment, readBase } from './config/variable.ts'

export {
  type Backends,
  isEmbedded,
  type TemporalConfig,
  toBackends,
  type WeaviateConfig,
} from './config/backends.ts'
export type { EmbeddingsConfig, LlmConfig, LocalEmbeddings } from './config/models.ts'
export { ConfigError } from './config/variable.ts'
export { version } from './config/version.ts'

export interface Address {
  host: string
  port: number
}

export interface Config {
  http: Address
  grpc: Address
  role: Role
  /** Absolute path of the folder of the embedded store and index. */
  data: string
  adminKey: string | null
  apiKey: string | null
  /** Connection string, which may hold a password; null: SQLite. */
  mongodb: string | null
  /** Null: the embedded index. */
  weaviate: WeaviateConfig | null
  /** Null: syncs run in the process. */
  temporal: TemporalConfig | null
  /** Where the role gateway finds its cores. */
  coreUrls: string[]
  publicUrl: string | null
  secret: string | null
  /** What takes its place; read by `lectern rotate-secret` alone. */
  newSecret: string | null
  /** As written, checked: crawler/address.ts reads it. */
  crawlAllow: string
  trustProxy: string[]
  pageLimit: number | null
  /** Addresses that a source may bring into a run. */
  addressLimit: number
  /** Megabytes of uploads that a team may have. */
  uploadLimit: number
  /** Null: answers quote the passages. */
  llm: LlmConfig | null
  /** Null: search goes by words. */
  embeddings: EmbeddingsConfig | null
  /** What a client without a restore token may do with a chat's UUID. */
  legacyChats: (typeof legacyChats)[number]
  log: string
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const legacyChats = ['off', 'same-address', 'on'] as const

/** Reads the configuration; throws ConfigError for the first bad value. */
export function readConfig(environment: Environment): Config {
  const read = createVariables(environment)
  const data = resolve(read('LECTERN_DATA', './data', 'a folder', (text) => text))

  const config: Config = {
    http: read('LECTERN_HTTP', { host: '127.0.0.1', port: 8080 }, addressForm, readAddress),
    grpc: read('LECTERN_GRPC', { host: '127.0.0.1', port: 50051 }, addressForm, readAddress),
    role: read('LECTERN_ROLE', 'all', roles.join(', '), (text) => roles.find((role) => role === text)),
    data,
    adminKey: read<string | null>(
      'LECTERN_ADMIN_KEY',
      null,
      'at least 16 characters without spaces',
      (text) => (/^\S{16,}$/.test(text) ? text : undefined),
    ),
    apiKey: read<string | null>('LECTERN_API_KEY', null, 'an API key', (text) => text),
    mongodb: readMongodb(read),
    weaviate: readWeaviate(read),
    temporal: readTemporal(read),
    coreUrls: readCoreUrls(read),
    publicUrl: read<string | null>('LECTERN_PUBLIC_URL', null, 'an http or https address', readBase),
    secret: read<string | null>('LECTERN_SECRET', null, '32 bytes in base64', readSecret),
    newSecret: read<string | null>('LECTERN_NEW_SECRET', null, '32 bytes in base64', readSecret),
    crawlAllow: read('LECTERN_CRAWL_ALLOW', '', 'hosts and CIDR blocks, comma-separated', readAllow),
    trustProxy: read<string[]>('LECTERN_TRUST_PROXY', [], 'CIDR blocks, comma-separated', readBlocks),
    pageLimit: read<number | null>('LECTERN_PAGE_LIMIT', null, 'a whole number from 1', readCount),
    addressLimit: read('LECTERN_ADDRESS_LIMIT', 100_000, 'a whole number from 1', readCount),
    uploadLimit: read('LECTERN_UPLOAD_LIMIT', 5_000, 'a whole number of megabytes from 1', readCount),
    llm: readLlm(read),
    embeddings: readEmbeddings(read, data),
    legacyChats: read('LECTERN_LEGACY_CHATS', 'off', legacyChats.join(', '), (text) =>
      legacyChats.find((choice) => choice === text),
    ),
    log: read('LECTERN_LOG', 'info', logLevels.join(', '), (text) =>
      logLevels.find((level) => level === text),
    ),
  }
  checkRole(config)
  return config
}

const addressForm = 'host:port, such as 127.0.0.1:8080 or [::1]:8080'

function readAddress(text: string): Address | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(text)
  const port = Number(match?.[3])
  const host = match?.[1] ?? match?.[2]
  return host && port <= 65_535 ? { host, port } : undefined
}

function readCount(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function readAllow(text: string): string | undefined {
  try {
    readAllowList(text)
    return text
  } catch {
    return undefined
  }
}

function readBlocks(text: string): string[] | undefined {
  const blocks = text.split(',').map((block) => block.trim())
  const good = blocks.every((block) => {
    const [ip = '', bits = '0', ...rest] = block.split('/')
    const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(ip)]!
    return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits
  })
  return good ? blocks : undefined
}

const readSecret = (text: string) => (Buffer.from(text, 'base64').length === 32 ? text : undefined)

/** The address that this Lectern is reached at, without a closing slash: `http://127.0.0.1:8080`. */
export function toBaseUrl({ publicUrl, http }: Pick<Config, 'publicUrl' | 'http'>): string {
  return publicUrl ?? `http://${toHost(http)}`
}

/** `host:port`, as somebody on this machine would connect. */
export function toHost({ host, port }: Config['http']): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export function toServiceAddresses(config: Config): Address[] {
  const { http, grpc, weaviate, temporal, mongodb, llm, embeddings, coreUrls } = config
  const urls = [weaviate?.url, llm?.url, embeddings && 'url' in embeddings && embeddings.url, ...coreUrls]
  const hosts = [weaviate?.grpc, temporal?.address, ...(mongodb ? toMongodbHosts(mongodb) : [])]
  return [
    http,
    grpc,
    ...urls.flatMap((url) => (url ? [toAddress(new URL(url))] : [])),
    ...hosts.flatMap((host) => (host ? [toAddress(new URL(`http://${host}`))] : [])),
  ].filter(({ port }) => port > 0)
}

function toAddress({ hostname, port, protocol }: URL): Address {
  const plain = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? plain : Number(port) }
}

/** `mongodb://user:password@a:27017,b/lectern` → `a:27017`, `b:27017`. */
function toMongodbHosts(url: string): string[] {
  const authority = /^mongodb(?:\+srv)?:\/\/(?:[^/@]*@)?([^/?]*)/.exec(url)?.[1] ?? ''
  return authority
    .split(',')
    .filter((host) => host !== '' && URL.canParse(`http://${host}`))
    .map((host) => (/:\d+$/.test(host) ? host : `${host}:27017`))
}
