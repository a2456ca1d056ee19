// One port for HTTP/2 and HTTP/1.1: an HTTP/2 client begins with `PRI * HTTP/2.0`, and no HTTP/1.1 method begins so.
import { createServer, type Server, type Socket } from 'node:net'

const preface = Buffer.from('PRI')
/** A client that says nothing for so long is let go. */
const silenceMs = 10_000

/** Creates a server that hands each socket to one of the two, with nothing of what was read lost. */
export function createPrefaceServer(to: {
  http1(socket: Socket): void
  http2(socket: Socket): void
}): Server {
  return createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(silenceMs, () => socket.destroy())
    let start = Buffer.alloc(0)
    socket.on('data', look)

    /** A byte may come alone: reads on until the two are told apart. */
    function look(chunk: Buffer) {
      start = Buffer.concat([start, chunk])
      const known = Math.min(start.length, preface.length)
      const alike = start.subarray(0, known).equals(preface.subarray(0, known))
      if (alike && known < preface.length) return
      socket.off('data', look)
      socket.setTimeout(0)
      socket.pause()
      socket.unshift(start)
      if (alike) {
        to.http2(socket)
      } else {
        to.http1(socket)
        socket.resume()
      }
    }
  })
}
