// One client of the MongoDB server: how it is reached, how long it is waited for, and what its errors mean to callers.
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

/** The database, as the nouns of the store see it. */
export interface MongoDb {
  collection<Row extends MongoRow>(name: string): Collection<Row>
}

interface MongoConnection {
  db: Db & MongoDb
  close(): Promise<void>
}

/** Name of the database where the address has none. */
const defaultName = 'lectern'

/** Milliseconds until a server counts as unavailable: a request must be answered within 3 s. */
const timeoutMs = 2_000

/**
 * A write counts when most of the servers have it in their journal (a single one would answer before); reads ask the one
 * that writes; the driver repeats once what a lost connection leaves open. The address cannot change these.
 * Monitoring notices a silent server within two heartbeats, and ends what waits for it.
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

/** Options of an address that would change what those above say, under names that they do not have. */
const ignoredOptions =
  /(?<=[?&])(?:j|wtimeout(?:MS)?|socketTimeoutMS|maxStalenessSeconds|readPreferenceTags)=[^&]*(?:&|$)/gi

/** Names of the driver's errors where the server could not be reached, or did not say in time that most servers have a write. */
const networkErrors =
  /^(?:Mongo(?:Network|NotConnected|Pool|ServerClosed|ServerSelection|StalePrimary|Topology|WriteConcern)|PoolCleared)/

/**
 * Codes of a server that is there and cannot serve: not primary, stepping down, shutting down, no majority; and of one that
 * has ended what it did: a cursor of before its restart (43, 237), an operation that was interrupted (11601).
 */
const unavailableCodes = new Set([
  ...[6, 7, 43, 50, 64, 89, 91, 100, 133, 134, 189, 237, 262],
  ...[9_001, 10_058, 10_107, 11_600, 11_601, 11_602, 13_435, 13_436],
])

/** Labels of retryable errors, regardless of their code: servers keep adding codes. */
const retryableLabels = ['RetryableWriteError', 'RetryableError', 'SystemOverloadedError']

/** Codes of a socket that broke while the driver wrote to it, which it hands on as they are. */
const socketErrors = /^(?:EPIPE|ECONNRESET|ETIMEDOUT|ERR_STREAM_DESTROYED|ERR_STREAM_WRITE_AFTER_END)$/

/** Unauthorized, AuthenticationFailed; AtlasError, which is MongoDB Atlas' word for both. */
const deniedCodes = new Set([13, 18, 8_000])

function has(codes: ReadonlySet<number>, { code }: MongoError): boolean {
  return typeof code === 'number' && codes.has(code)
}

const duplicateKey = 11_000

/** Whether a unique index (or `_id`) has the value of a write already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoError && error.code === duplicateKey
}

/** Whether that is all that is wrong with a write of many rows: the others are in, with the majority's word. */
export function areDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false
  const errors = [error.writeErrors].flat()
  const isConcern = error.result.getWriteConcernError() !== undefined
  return !isConcern && errors.length > 0 && errors.every(({ code }) => code === duplicateKey)
}

/** The driver wraps the error of a write of many rows. */
function unwrap(error: MongoError): MongoError {
  return error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError
    ? error.errorResponse
    : error
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && socketErrors.test(String(error.code))
}

/** Maps a driver's error: DomainError(unavailable) where the server is unreachable, else the error itself. */
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
 * Connects. Throws DomainError(invalid) for an address that cannot be read, DomainError(unavailable) when no server
 * answers within 2 s, AccessRefused when it does not take the name and password. No sentence holds the address.
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

/** A client that is not connected yet, and the name of the database. Throws as `openConnection` does. */
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
    // The driver's sentence may hold the address with its password: only names of options are taken from it.
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
  // The name servers are asked for the hosts of a mongodb+srv address before the driver begins.
  return isUnresolved(error) ? backendAway('store', error) : toStoreError(error)
}

function isUnresolved(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('query')
}

/** Milliseconds, more than any heartbeat takes, which has two seconds to connect and four for its answer. */
const heartbeatTimeout = 7_000

/**
 * Connects `client` again when a heartbeat has neither an answer nor an error after 7 s. The driver (7.9.0) waits for ever
 * for room in a connection that closed as it wrote a heartbeat to it, and looks for its server no more; it happens where
 * it asks the server at intervals, as with FerretDB. Answers how to close the client for good.
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
        // Still unreachable: retried, as the driver would.
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

/** Milliseconds that a caller waits for a server that keeps its connection and says nothing. */
const timeouts = { readers: 2_500, work: 30_000 } as const

/** Who waits: readers, or work in the background, which a busy server must not end. */
export type Priority = keyof typeof timeouts

type Method = (...values: unknown[]) => Promise<unknown>

/**
 * Wraps the methods of a noun: they reject with Conflict or with DomainError(unavailable), whose cause is the driver's error, and
 * in time. Those that `isSlow` may take long in a large project, and no reader waits for them: when a server falls silent they
 * end as soon as the monitoring notices it, in about 4 s.
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
  throw backendAway('store', new Error('no answer in time'))
}
