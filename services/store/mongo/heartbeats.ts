// Notices a driver that has stopped watching its server, and connects it again.
import { setTimeout as after } from 'node:timers/promises'
import type { MongoClient } from 'mongodb'

/** Milliseconds: more than any heartbeat takes, which has two seconds to connect and four for its answer. */
const timeout = 7_000

/**
 * Connects `client` again when a heartbeat has neither an answer nor an error after 7 s. The driver (7.9.0) waits for ever
 * for room in a connection that closed as it wrote a heartbeat to it, and looks for its server no more; it happens where
 * it asks the server at intervals, as with FerretDB. Answers how to close the client for good.
 */
export function watchHeartbeats(client: MongoClient): () => Promise<void> {
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
        // Still away: as the driver would, it is asked again.
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
    pending.set(connectionId, setTimeout(late, timeout).unref())
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
