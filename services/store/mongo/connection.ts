// The client of the MongoDB server: connection options, timeouts, and the conversion of errors.
import { setTimeout as after } from 'node:timers/promises'
import {
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
} from 'mongodb'
import pTimeout from 'p-timeout'
import { AccessRefused, backendAway, DomainError } from '../../errors.ts'

export interface MongoRow extends Document {
  _id: string
}

/** The database, as used by the store. */
export interface MongoDb {
  collection<Row extends MongoRow>(name: string): Collection<Row>
}

interface MongoConnection {
  db: Db & MongoDb
  close(): Promise<void>
}

/** Default name of the database. */
const defaultName = 'lectern'

/** Milliseconds before a server is considered unavailable: requests have to be answered within 3 s. */
const timeoutMs = 2_000

/**
 * Writes are acknowledged once a majority of the servers has them in the journal. Reads use the primary. The driver retries
 * once after a lost connection. The address cannot change these options. Monitoring detects an unresponsive server within two
 * heartbeats, and ends the calls that wait for it.
 */
const options = {
  appName: 'lectern',
  maxPoolSize: 32,
  maxConnecting: 8,
  w: 'majority',
  journal: true,
  retryWrites: true,
  retryReads: true,
  readPreference: 'primary',
  serverSelectionTimeoutMS: timeoutMs,
  connectTimeoutMS: timeoutMs,
  heartbeatFrequencyMS: 2_000,
} as const

/** Options in the address that would override those above under other names. */
const ignoredOptions =
  /(?<=[?&])(?:j|wtimeout(?:MS)?|socketTimeoutMS|maxStalenessSeconds|readPreferenceTags)=[^&]*(?:&|$)/gi

/** Names of the driver's errors if the server is unreachable, or a majority did not acknowledge a write in time. */
const networkErrors =
  /^(?:Mongo(?:ClientClosed|Network|NotConnected|Pool|ServerClosed|ServerSelection|StalePrimary|Topology|WriteConcern)|PoolCleared)/

/**
 * Codes of a server that cannot serve: not primary, stepping down, shutting down, no majority; and of aborted operations: a
 * cursor from before a restart (43, 237), an interrupted operation (11601).
 */
const unavailableCodes = new Set([
  ...[6, 7, 43, 50, 64, 89, 91, 100, 133, 134, 189, 237, 262],
  ...[9_001, 10_058, 10_107, 11_600, 11_601, 11_602, 13_435, 13_436],
])

/** Labels of retryable errors, regardless of their code: servers keep adding codes. */
const retryableLabels = ['RetryableWriteError', 'RetryableError', 'SystemOverloadedError']

/** Codes of socket errors during a write, which the driver does not convert. */
const socketErrors = /^(?:EPIPE|ECONNRESET|ETIMEDOUT|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END)$/

/** Unauthorized, AuthenticationFailed, and AtlasError, which MongoDB Atlas uses for both. */
const deniedCodes = new Set([13, 18, 8_000])

function has(codes: ReadonlySet<number>, { code }: MongoError): boolean {
  return typeof code === 'number' && codes.has(code)
}

const duplicateKey = 11_000

/** Whether a write violates a unique index (or `_id`). */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoError && error.code === duplicateKey
}

/** Whether duplicates are the only errors of a bulk write. The other rows are then written and acknowledged. */
export function areDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false
  const errors = [error.writeErrors].flat()
  const isConcern = error.result.getWriteConcernError() !== undefined
  return !isConcern && errors.length > 0 && errors.every(({ code }) => code === duplicateKey)
}

/** Returns the error that the driver wraps in that of a bulk write. */
function unwrap(error: MongoError): MongoError {
  return error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError
    ? error.errorResponse
    : error
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && socketErrors.test(String(error.code))
}

/** Converts a driver's error to DomainError(unavailable) if the server is unavailable. Returns other errors unchanged. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof MongoError)) return isSocketError(error) ? backendAway('store', error) : error
  const cause = unwrap(error)
  if (has(deniedCodes, cause)) return backendAway('store', new AccessRefused(error))
  const isAway =
    networkErrors.test(cause.name) ||
    has(unavailableCodes, cause) ||
    retryableLabels.some((label) => cause.hasErrorLabel(label))
  return isAway ? backendAway('store', error) : error
}

/**
 * Connects. Rejects with DomainError(invalid) if the address is invalid, DomainError(unavailable) if no server responds within
 * 2 s, AccessRefused if name or password is wrong. No message contains the address.
 */
export async function openConnection(url: string): Promise<MongoConnection> {
  const { client, name } = createClient(url)
  const close = watchHeartbeats(client)
  try {
    await client.connect()
    const db = client.db(name)
    await db.command({ ping: 1 })
    return { db, close }
  } catch (error) {
    await close()
    throw toStartError(error)
  }
}

const badAddress = (what: string): DomainError => new DomainError('invalid', `The MongoDB address ${what}.`)

/** Creates a client without connecting, and reads the name of the database. Throws DomainError(invalid). */
export function createClient(url: string): { client: MongoClient; name: string } {
  const client = readAddress(url)
  const isNamed = /^[^/]+\/\/[^/?]+\/[^?]/.test(url)
  const name = isNamed ? client.options.dbName : defaultName
  if (/[\s.$/\\"]/.test(name))
    throw badAddress('names a database with a character that MongoDB does not take')
  return { client, name }
}

function readAddress(url: string): MongoClient {
  try {
    return new MongoClient(url.replace(ignoredOptions, ''), options)
  } catch (error) {
    // The driver's message may contain the address with its password, so only names of options are used.
    const unknown = /options? ((?:\w+, )*\w+) (?:is|are) not supported/.exec(String(error))?.[1]
    throw badAddress(
      unknown === undefined
        ? 'takes the form mongodb://name:password@host:port/database?options, with : / ? # [ ] @ in name and password percent-encoded'
        : `has an option that does not exist: ${unknown}`,
    )
  }
}

function toStartError(error: unknown): unknown {
  if (error instanceof MongoError && has(deniedCodes, error)) return new AccessRefused(error)
  // The hosts of a mongodb+srv address are resolved before the driver connects.
  return isUnresolved(error) ? backendAway('store', error) : toStoreError(error)
}

function isUnresolved(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('query')
}

/** Milliseconds. More than the timeouts of a heartbeat: two seconds to connect and four for the response. */
const heartbeatTimeout = 7_000

/**
 * Reconnects the client if a heartbeat has neither a response nor an error after 7 s. The driver (7.9.0) hangs if a connection
 * closes while it writes a heartbeat to it, and then stops monitoring the server. This happens with servers that it polls, such as
 * FerretDB. Returns a function that closes the client.
 */
function watchHeartbeats(client: MongoClient): () => Promise<void> {
  const pending = new Map<string, NodeJS.Timeout>()
  const closing = new AbortController()
  let reconnected: Promise<void> | undefined

  function forget(address: string) {
    clearTimeout(pending.get(address))
    pending.delete(address)
  }

  async function reconnect() {
    while (!closing.signal.aborted) {
      try {
        await client.close()
        await client.connect()
        return
      } catch {
        // Still unreachable: retries.
        await after(1_000, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }

  client.on('serverHeartbeatStarted', ({ connectionId }) => {
    forget(connectionId)
    function late() {
      reconnected ??= reconnect().finally(() => {
        reconnected = undefined
      })
    }
    pending.set(connectionId, setTimeout(late, heartbeatTimeout).unref())
  })
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => forget(connectionId))
  client.on('serverHeartbeatFailed', ({ connectionId }) => forget(connectionId))
  client.on('serverClosed', ({ address }) => forget(address))

  return async () => {
    closing.abort()
    await reconnected
    await client.close()
  }
}

/** Milliseconds to wait for an unresponsive server. */
const timeouts = { readers: 2_500, work: 30_000 } as const

/** Readers, or background work, which should not fail if the server is busy. */
export type Priority = keyof typeof timeouts

type Method = (...values: unknown[]) => Promise<unknown>

/**
 * Wraps methods of the store: adds timeouts, and converts the driver's errors to DomainError(unavailable). Methods for which `isSlow`
 * is true have no timeout, because they may take long in a large project and no reader waits for them. If the server stops
 * responding, monitoring ends them in about 4 s.
 */
export function guard<Methods extends object>(
  methods: Methods,
  priority: Priority,
  isSlow: (method: string) => boolean,
): Methods {
  const milliseconds = timeouts[priority]
  const guarded = Object.entries(methods as Record<string, Method>).map(([name, method]) => [
    name,
    async (...values: unknown[]) => {
      try {
        const answer = method(...values)
        return await (isSlow(name) ? answer : pTimeout(answer, { milliseconds, fallback: noAnswer }))
      } catch (error) {
        throw toStoreError(error)
      }
    },
  ])
  return Object.fromEntries(guarded)
}

function noAnswer(): never {
  throw backendAway('store', new Error('timed out'))
}
