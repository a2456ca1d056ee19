// The only reader of the environment. An invalid value prevents the start with one line that names the variable, its value
// and the accepted values.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { readAllowList } from '../crawler/address.ts'
import { checkRole, readCoreUrls, readMongodb, readTemporal, readWeaviate, roles } from './config/backends.ts'
import { readEmbeddings, readLlm } from './config/models.ts'
import { createVariables, type Environment, matching, oneOf, readBase, readText } from './config/variable.ts'

export {
  type Backends,
  isEmbedded,
  type TemporalConfig,
  toBackends,
  type WeaviateConfig,
} from './config/backends.ts'
export type { EmbeddingsConfig, LlmConfig, LocalEmbeddings } from './config/models.ts'
export { ConfigError } from './config/variable.ts'

export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

export interface Address {
  host: string
  port: number
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const legacyChats = ['off', 'same-address', 'on'] as const

export type Config = ReturnType<typeof readConfig>

/** Reads the configuration. Throws ConfigError for the first invalid value. */
export function readConfig(environment: Environment) {
  const read = createVariables(environment)
  const data = resolve(read('LECTERN_DATA', './data', 'a folder', readText))
  const local = (port: number): Address => ({ host: '127.0.0.1', port })

  const config = {
    http: read('LECTERN_HTTP', local(8080), addressForm, readAddress),
    grpc: read('LECTERN_GRPC', local(50051), addressForm, readAddress),
    role: read('LECTERN_ROLE', 'all', roles.join(', '), oneOf(roles)),
    /** Absolute path of the folder of the embedded store and index. */
    data,
    adminKey: read('LECTERN_ADMIN_KEY', null, 'at least 16 characters without spaces', matching(/^\S{16,}$/)),
    apiKey: read('LECTERN_API_KEY', null, 'an API key', readText),
    /** Connection string, which may contain a password; null: SQLite. */
    mongodb: readMongodb(read),
    /** Null: the embedded index. */
    weaviate: readWeaviate(read),
    /** Null: syncs run in the process. */
    temporal: readTemporal(read),
    /** Base addresses of the cores, for the role gateway. */
    coreUrls: readCoreUrls(read),
    publicUrl: read('LECTERN_PUBLIC_URL', null, 'an http or https address', readBase),
    secret: read('LECTERN_SECRET', null, secretForm, readSecret),
    /** Replaces the secret. Only `lectern rotate-secret` reads it. */
    newSecret: read('LECTERN_NEW_SECRET', null, secretForm, readSecret),
    /** Validated, but not parsed: crawler/address.ts parses it. */
    crawlAllow: read('LECTERN_CRAWL_ALLOW', '', 'hosts and CIDR blocks, comma-separated', readAllow),
    trustProxy: read('LECTERN_TRUST_PROXY', [] as string[], 'CIDR blocks, comma-separated', readBlocks),
    pageLimit: read('LECTERN_PAGE_LIMIT', null, 'a whole number from 1', readCount),
    /** Maximum addresses that a source may add to a run. */
    addressLimit: read<number, number>('LECTERN_ADDRESS_LIMIT', 100_000, 'a whole number from 1', readCount),
    /** Maximum megabytes of uploads per team. */
    uploadLimit: read<number, number>(
      'LECTERN_UPLOAD_LIMIT',
      5_000,
      'a whole number of megabytes from 1',
      readCount,
    ),
    /** Null: answers quote passages. */
    llm: readLlm(read),
    /** Null: search by words only. */
    embeddings: readEmbeddings(read, data),
    /** Whether clients without restore tokens may use a chat by its UUID. */
    legacyChats: read('LECTERN_LEGACY_CHATS', 'off', legacyChats.join(', '), oneOf(legacyChats)),
    log: read('LECTERN_LOG', 'info', logLevels.join(', '), oneOf(logLevels)),
  }
  checkRole(config.role, read, (name) => Boolean(environment[name]?.trim()))
  return config
}

/** Values to redact: keys, secrets, and addresses that may contain a password. */
export const listSecrets = (environment: Environment): string[] =>
  Object.entries(environment).flatMap(([name, text]) =>
    text && /^LECTERN_(.*_)?(KEY|SECRET|MONGODB_URL)$/.test(name) ? [text.trim()] : [],
  )

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

const secretForm = '32 bytes in base64 (openssl rand -base64 32)'
const readSecret = (text: string) => (Buffer.from(text, 'base64').length === 32 ? text : undefined)

/** The base URL of this Lectern, without a trailing slash: `http://127.0.0.1:8080`. */
export function toBaseUrl({ publicUrl, http }: Pick<Config, 'publicUrl' | 'http'>): string {
  return publicUrl ?? `http://${toHost(http)}`
}

/** `host:port` for connections from this machine. */
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
