// A process between Lectern and Weaviate's gRPC port that says how long Weaviate took: from the first frame of a request to the
// last of its answer (RFC 9113, section 4.1: a frame begins with 3 bytes of length, 1 of type, 1 of flags, 4 of stream).
// Arguments: the port to pass on to. Sends its own port, and at each message how many milliseconds calls were under way since
// the last.
import { connect, createServer, type Socket } from 'node:net'

const headers = 1
const endOfStream = 1
const frameHead = 9
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length

let busy = 0
let since = 0
const open = new Set<string>()

function begin(stream: string) {
  if (open.size === 0) since = performance.now()
  open.add(stream)
}

function end(stream: string) {
  if (open.delete(stream) && open.size === 0) busy += performance.now() - since
}

/** Tells of each frame with headers, at its end. */
function readFrames(skip: number, told: (stream: number, flags: number) => void) {
  let held = Buffer.alloc(0)
  return (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    if (skip > 0) {
      const passed = Math.min(skip, held.length)
      held = held.subarray(passed)
      skip -= passed
    }
    while (held.length >= frameHead) {
      const length = frameHead + held.readUIntBE(0, 3)
      if (held.length < length) return
      if (held[3] === headers) told(held.readUInt32BE(5) & 0x7fffffff, held[4]!)
      held = held.subarray(length)
    }
  }
}

let connections = 0
const server = createServer((client: Socket) => {
  const name = connections++
  const upstream = connect(Number(process.argv[2]), '127.0.0.1')
  client.setNoDelay()
  upstream.setNoDelay()
  const asked = readFrames(preface, (stream) => begin(`${name}:${stream}`))
  const answered = readFrames(0, (stream, flags) => {
    if (flags & endOfStream) end(`${name}:${stream}`)
  })
  client.on('data', (chunk: Buffer) => {
    asked(chunk)
    upstream.write(chunk)
  })
  upstream.on('data', (chunk: Buffer) => {
    answered(chunk)
    client.write(chunk)
  })
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('message', () => {
  process.send?.(busy)
  busy = 0
})
process.on('disconnect', () => process.exit())
