// The reference: a bare uWebSockets.js app that answers each message with frames like those of the chat, no faster than
// they are read, each serialized when it is sent. Argument: the number of frames.
import { App, type us_listen_socket, us_socket_local_port, type WebSocket } from 'uWebSockets.js'
import { words } from './words.ts'

const highWater = 64 * 1024
const count = Number(process.argv[2])

function toFrame(at: number): string {
  return JSON.stringify({
    projectId: 'open',
    chatId: '0f4d1b52-7f0a-4c06-8d5e-000000000001',
    from: 'ai',
    messageId: '0f4d1b52-7f0a-4c06-8d5e-000000000002',
    message: words[at % words.length],
    timestamp: new Date().toISOString(),
    isPartial: true,
    requestId: 'relay',
  })
}

function pump(socket: WebSocket<{ sent: number }>): void {
  const state = socket.getUserData()
  while (state.sent < count && socket.getBufferedAmount() < highWater) {
    const at = state.sent++
    socket.send(toFrame(at))
  }
}

App()
  .ws<{ sent: number }>('/*', {
    maxBackpressure: 1024 * 1024,
    upgrade(response, request, context) {
      const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
        request.getHeader(`sec-websocket-${name}`),
      )
      response.upgrade({ sent: 0 }, key!, protocol!, extensions!, context)
    },
    message: (socket) => pump(socket),
    drain: (socket) => pump(socket),
  })
  .listen('127.0.0.1', 0, (listening: us_listen_socket) => {
    process.send?.({ port: us_socket_local_port(listening) })
  })

process.once('disconnect', () => process.exit())
