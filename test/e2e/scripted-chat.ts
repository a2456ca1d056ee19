// A server of the demo page and the widget with a scripted chat: real files and policy, an in-memory project with
// conversations, and a socket that the test controls.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openStatic } from '../../gateway/pages.ts'
import { acceptSocket, type ServerSocket } from './server-socket.ts'

export const restoreToken = 'a-token-of-the-chat'
export const chatId = '11111111-1111-4111-8111-111111111111'

export interface ScriptedTurn {
  /** The message as the page sent it. */
  message: Record<string, unknown> & { requestId: string }
  /** Sends a status frame with the next sequence number. */
  status(stage: string, state: string, detail?: object): void
  token(text: string): void
  final(message: string, fields?: object): void
  /** Sends any frame. */
  frame(frame: unknown): void
  /** Drops the connection like a network; with a code: closes it like a server. */
  hangUp(code?: number): void
  /** Resolves when the page has closed the connection. */
  gone: Promise<void>
}

export interface RestCall {
  method: string
  path: string
  body: Record<string, unknown> | null
  headers: IncomingMessage['headers']
}

export interface ScriptedChat {
  origin: string
  /** The demo page. */
  url: string
  /** The next message that the page sends. */
  next(): Promise<ScriptedTurn>
  /** Whether messages wait that no `next` has read. */
  hasMore(): boolean
  /** Path below the project, such as `chats/`, → the JSON response; null returns 404. */
  answers: Map<string, (call: RestCall) => unknown>
  calls: RestCall[]
  /** While true, rejects sockets. */
  refuses: boolean
  close(): Promise<void>
}

const base = '/api/v2/projects/docs/'

export async function openScriptedChat(chat: object = {}): Promise<ScriptedChat> {
  const files = await openStatic(fileURLToPath(new URL('../../web/dist/', import.meta.url)))
  const sockets = new Set<ServerSocket>()
  const waiting: ScriptedTurn[] = []
  const asked: ((turn: ScriptedTurn) => void)[] = []
  const config = { chat: { initial_message: null, suggested_questions: [], think_mode: false, ...chat } }
  const answers: ScriptedChat['answers'] = new Map<string, (call: RestCall) => unknown>([
    ['', () => ({ slug: 'docs', name: 'Garden docs', last_sync: null, config })],
    ['search/', () => ({ results: [] })],
  ])
  const calls: RestCall[] = []

  const widgetConfig = {
    ...{ slug: 'docs', name: 'Garden docs', whitelabel: false, filters: [], actions: [], languages: [] },
    ...config.chat,
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type, x-chat-restore-token')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    if (pathname === '/widget-config/docs') return response.end(JSON.stringify(widgetConfig))
    if (pathname === '/demo/docs/' || pathname === '/widget.js' || pathname.startsWith('/assets/')) {
      const name = pathname === '/demo/docs/' ? 'demo/' : pathname.slice(1)
      const { headers, body } = files.answer(name, { headers: { 'if-none-match': '' } } as never)
      return response.writeHead(200, headers).end(body)
    }
    const path = pathname.startsWith(base) ? pathname.slice(base.length) : null
    const chunks = await request.toArray()
    const text = Buffer.concat(chunks).toString()
    const body = text === '' ? null : JSON.parse(text)
    const call = { method: request.method ?? '', path: path ?? pathname, body, headers: request.headers }
    if (call.method !== 'GET' || path?.startsWith('chats/')) calls.push(call)
    const answer = path === null ? null : (answers.get(path)?.(call) ?? null)
    response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { error: 'There is nothing here.', code: 'not_found' }))
  })

  const scripted: ScriptedChat = {
    origin: '',
    url: '',
    next: () =>
      new Promise((resolve) => {
        const turn = waiting.shift()
        if (turn) resolve(turn)
        else asked.push(resolve)
      }),
    hasMore: () => waiting.length > 0,
    answers,
    calls,
    refuses: false,
    async close() {
      for (const socket of sockets) socket.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
    if (scripted.refuses) return stream.destroy()
    const socket = acceptSocket(request, stream, (text) => {
      const turn = toTurn(socket, JSON.parse(text))
      const taker = asked.shift()
      if (taker) taker(turn)
      else waiting.push(turn)
    })
    sockets.add(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scripted.origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  scripted.url = `${scripted.origin}/demo/docs/`
  return scripted
}

function toTurn(socket: ServerSocket, message: ScriptedTurn['message']): ScriptedTurn {
  const { requestId } = message
  const messageId = `22222222-2222-4222-8222-${requestId.slice(-12)}`
  const answer = { projectId: 'docs', chatId, from: 'ai', messageId, requestId }
  let sequence = 0
  const frame = (value: unknown) => socket.send(JSON.stringify(value))
  return {
    message,
    frame,
    status: (stage, state, detail) =>
      frame({
        type: 'status',
        version: 1,
        requestId,
        sequence: ++sequence,
        stage,
        state,
        ...(detail && { detail }),
      }),
    token: (text) => frame({ ...answer, restoreToken, message: text, isPartial: true }),
    final: (text, fields = {}) =>
      frame({
        ...{ ...answer, restoreToken, message: text, isPartial: false, sources: [], stopReason: 'stop' },
        ...fields,
      }),
    hangUp: (code) => socket.close(code),
    gone: socket.gone,
  }
}
