// The variables of MongoDB, Weaviate, Temporal and the core that a gateway calls, and which of them each role
// requires.
import { keyForm, matching, type ReadVariable, readBase } from './variable.ts'

export const roles = ['all', 'gateway', 'core', 'worker'] as const
export type Role = (typeof roles)[number]

export type WeaviateConfig = NonNullable<ReturnType<typeof readWeaviate>>
export type TemporalConfig = NonNullable<ReturnType<typeof readTemporal>>

/** Settings of store and index. A plain object, so that it can be passed to threads. */
export interface Backends {
  /** Absolute path of the data folder of the embedded drivers. */
  data: string
  /** Connection string, which may contain a password; null: SQLite in the folder. */
  mongodb?: string | null
  /** Null: segments in the folder. */
  weaviate?: WeaviateConfig | null
}

/** Removes all other properties. */
export function toBackends({ data, mongodb = null, weaviate = null }: Backends): Backends {
  return { data, mongodb, weaviate }
}

/** Whether the data folder holds the store or the index. */
export function isEmbedded({ mongodb, weaviate }: Backends): boolean {
  return !mongodb || !weaviate
}

/** Variables that a role requires. */
const needs: Record<Role, string[]> = {
  all: [],
  gateway: ['LECTERN_CORE_URL', 'LECTERN_SECRET'],
  core: ['LECTERN_MONGODB_URL', 'LECTERN_WEAVIATE_URL', 'LECTERN_TEMPORAL_ADDRESS'],
  worker: ['LECTERN_MONGODB_URL', 'LECTERN_WEAVIATE_URL', 'LECTERN_TEMPORAL_ADDRESS'],
}

export function readMongodb(read: ReadVariable): string | null {
  const form = /^mongodb(\+srv)?:\/\/\S+$/
  const takes = 'a connection string, such as mongodb://host:27017/lectern'
  return read('LECTERN_MONGODB_URL', null, takes, matching(form))
}

/** Null if no variable is set. Throws ConfigError if an address is missing. */
export function readWeaviate(read: ReadVariable) {
  const takes = 'the http or https address of Weaviate, such as http://host:8080'
  const url = read('LECTERN_WEAVIATE_URL', null, takes, readBase)
  const takesGrpc = 'host:port of its gRPC interface, such as host:50051'
  const grpc = read('LECTERN_WEAVIATE_GRPC', null, takesGrpc, readHostPort)
  const key = readServerKey(read, 'LECTERN_WEAVIATE_KEY')
  if (url === null && (grpc ?? key) === null) return null
  if (url === null) throw read.missing('LECTERN_WEAVIATE_URL', 'Weaviate requires it')
  if (grpc === null) throw read.missing('LECTERN_WEAVIATE_GRPC', 'Weaviate requires it')
  return {
    /** Base address of the REST interface, without a trailing slash. */
    url,
    /** `host:port` of the gRPC interface. Uses TLS if `url` is https. */
    grpc,
    /** Null: no key. */
    key,
  }
}

/** Null if no variable is set. Throws ConfigError if namespace or key is set without an address. */
export function readTemporal(read: ReadVariable) {
  const form = /^[^\s\p{Cc}]{1,255}$/u
  const address = read('LECTERN_TEMPORAL_ADDRESS', null, 'host:port, such as host:7233', readHostPort)
  const namespace = read('LECTERN_TEMPORAL_NAMESPACE', null, 'the name of a namespace', matching(form))
  const key = readServerKey(read, 'LECTERN_TEMPORAL_KEY')
  if (address !== null) {
    // With a key the connection is encrypted.
    return { address, namespace: namespace ?? 'default', key }
  }
  if ((namespace ?? key) === null) return null
  const useless = namespace === null ? 'LECTERN_TEMPORAL_KEY' : 'LECTERN_TEMPORAL_NAMESPACE'
  throw read.missing('LECTERN_TEMPORAL_ADDRESS', `${useless} requires it`)
}

function readServerKey(read: ReadVariable, name: string): string | null {
  return read(name, null, 'a key without spaces', matching(keyForm))
}

/** Base addresses of the cores that a gateway calls, without trailing slashes. Empty if unset. */
export function readCoreUrls(read: ReadVariable): string[] {
  const takes = 'the http address of the core, such as http://host:50051, or several, comma-separated'
  return read('LECTERN_CORE_URL', [] as string[], takes, (text) => {
    const urls = text.split(',').map((part) => readBase(part.trim()))
    return urls.includes(undefined) ? undefined : (urls as string[])
  })
}

/** Throws ConfigError if a variable that the role requires is missing. */
export function checkRole(role: Role, read: ReadVariable, isSet: (name: string) => boolean): void {
  const lacking = needs[role].find((name) => !isSet(name))
  if (lacking) throw read.missing(lacking, `the role ${role} requires it`)
  if (role === 'gateway' || !isSet('LECTERN_MONGODB_URL')) return
  // Each process would generate its own.
  for (const name of ['LECTERN_ADMIN_KEY', 'LECTERN_SECRET'] as const) {
    if (!isSet(name)) throw read.missing(name, 'needed where LECTERN_MONGODB_URL is set')
  }
}

function readHostPort(text: string): string | undefined {
  const port = Number(/^(?:\[[0-9a-f:.]+\]|[^:[\]\s/@]+):(\d{1,5})$/i.exec(text)?.[1])
  return port >= 1 && port <= 65_535 ? text : undefined
}
