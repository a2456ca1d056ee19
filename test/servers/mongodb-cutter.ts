// A proxy that reads MongoDB's wire protocol and cuts one connection at a chosen command: the server has carried it out,
// and its reply never arrives. Toxiproxy cuts at a number of bytes; this cuts between two replies.
//
//   each message: length (4 bytes, little-endian, of all of it), id, in answer to, opcode; OP_MSG goes on with
//   4 bytes of flags, a kind 0, and a document whose first field is named after the command
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Cutter {
  port: number
  /** Loses the reply to the n-th command from now on, from 1, and cuts its connection; 0: loses none. */
  loseReply(n: number): void
  /** Commands since the last `loseReply`. */
  commands(): number
  close(): Promise<void>
}

const opMsg = 2013
/** What the driver asks on its own, now and then. */
const ofDriver = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'])

export async function openCutter(upstream: number): Promise<Cutter> {
  const sockets = new Set<Socket>()
  let commands = 0
  let lose = 0

  const server = createServer((client) => {
    const target = connect(upstream, '127.0.0.1')
    const cut = () => {
      client.destroy()
      target.destroy()
    }
    let isDoomed = false
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', () => {
        cut()
        sockets.delete(socket)
      })
    }
    client.on(
      'data',
      messages((message) => {
        if (isCommand(message)) {
          commands++
          isDoomed ||= commands === lose
        }
        target.write(message)
      }),
    )
    target.on(
      'data',
      messages((message) => {
        if (isDoomed) cut()
        else client.write(message)
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    loseReply(n) {
      commands = 0
      lose = n
    },
    commands: () => commands,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Puts chunks together and hands on whole messages. */
function messages(handOn: (message: Buffer) => void): (chunk: Buffer) => void {
  let kept = Buffer.alloc(0)
  return (chunk) => {
    kept = Buffer.concat([kept, chunk])
    while (kept.length >= 4 && kept.length >= kept.readInt32LE(0)) {
      const length = kept.readInt32LE(0)
      handOn(kept.subarray(0, length))
      kept = kept.subarray(length)
    }
  }
}

function isCommand(message: Buffer): boolean {
  if (message.readInt32LE(12) !== opMsg) return false
  const name = message.subarray(26, message.indexOf(0, 26)).toString()
  return !ofDriver.has(name)
}
