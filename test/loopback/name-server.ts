// A name server on loopback that knows a few names, denies the others, and can be silent.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

interface NameServer {
  /** For createNames. */
  address: string
  /** Requested names, each once. */
  asked: Set<string>
  close(): Promise<void>
}

const types = { four: 1, six: 28 }

/** `records`: addresses by name; `fails`: the server reports a failure. `silent`: it does not answer for other names. */
export async function openNameServer(
  records: Record<string, string[] | 'fails'>,
  { silent = false } = {},
): Promise<NameServer> {
  const asked = new Set<string>()
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query)
    asked.add(name)
    const record = records[name]
    if (silent && record === undefined) return
    const addresses = record === 'fails' ? [] : (record ?? [])
    const found = addresses.filter((address) => type === (isIPv6(address) ? types.six : types.four))
    const head = Buffer.from(query.subarray(0, end))
    // A response, recursion available; 2: server failure, 3: no such name.
    head.writeUInt16BE(0x8180 | (record === 'fails' ? 2 : record === undefined ? 3 : 0), 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(
      Buffer.concat([head, ...found.map((address) => toRecord(type, address))]),
      peer.port,
      peer.address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** The first question of a message (RFC 1035 4.1.2), after its header of 12 bytes. */
function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** An answer for the name of the question, valid for 60 s. */
function toRecord(type: number, address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray()
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes])
}
