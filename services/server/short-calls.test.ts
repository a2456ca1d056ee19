// Connect's plainest calls over a bare HTTP/2 connection: whole ones, and those that are too large, no message, late or left.
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  GetProjectRequestSchema,
  GetProjectResponseSchema,
  ProjectService,
} from '../../gen/lectern/v1/project_pb.js'
import { callerKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import { createErrorInterceptor } from '../interceptors/errors.ts'
import { createRoutes, type Implementation } from '../routes.ts'
import { greatestMessage } from './core.ts'
import { type CoreServer, openCoreServer } from './core-server.ts'

const left = Promise.withResolvers<void>()
const implementation: Implementation = {
  projects: {
    getProject({ slug }, context) {
      if (slug === 'gone') throw new DomainError('not_found', 'There is no such project.')
      if (slug === 'slow') {
        context.signal.addEventListener('abort', () => left.resolve())
        return new Promise(() => {})
      }
      context.responseHeader.set('x-seen', context.requestHeader.get('x-sent') ?? '')
      return { project: { name: context.values.get(callerKey).address || slug } }
    },
  },
}

let server: CoreServer
let client: ClientHttp2Session
beforeAll(async () => {
  const interceptors = [createErrorInterceptor({ error: (what) => expect.fail(String(what)) })]
  const core = { implementation, routes: createRoutes(implementation), interceptors }
  server = await openCoreServer(core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
  client = connect(`http://127.0.0.1:${server.port}`)
})
afterAll(async () => {
  client.destroy()
  await server.close(0)
})

const asking = (slug: string) =>
  Buffer.from(toBinary(GetProjectRequestSchema, create(GetProjectRequestSchema, { slug })))

function begin(headers: Record<string, string> = {}) {
  return client.request({
    ':method': 'POST',
    ':path': `/${ProjectService.typeName}/GetProject`,
    'content-type': 'application/proto',
    ...headers,
  })
}

async function call(body: Buffer, headers: Record<string, string> = {}) {
  const stream = begin(headers)
  let answered: Record<string, unknown> = {}
  stream.on('response', (found) => {
    answered = found
  })
  stream.end(body)
  const pieces = await stream.toArray()
  return { headers: answered, status: answered[':status'], body: Buffer.concat(pieces) }
}

test('a message is answered by a message, with the headers of both sides', async () => {
  const { status, headers, body } = await call(asking('docs'), { 'x-sent': 'yes' })
  expect(status).toBe(200)
  expect(headers).toMatchObject({ 'content-type': 'application/proto', 'x-seen': 'yes' })
  expect(fromBinary(GetProjectResponseSchema, body).project?.name).toBe('docs')
})

const refused: [
  what: string,
  body: () => Buffer,
  headers: Record<string, string>,
  status: number,
  code: string,
][] = [
  ['what the handler refuses', () => asking('gone'), {}, 404, 'not_found'],
  ['bytes that are no message', () => Buffer.from([255, 255, 255]), {}, 400, 'invalid_argument'],
  ['a message that is too large', () => Buffer.alloc(greatestMessage + 1), {}, 429, 'resource_exhausted'],
  ['a time that is none', () => asking('docs'), { 'connect-timeout-ms': 'soon' }, 400, 'invalid_argument'],
  ['a handler that is late', () => asking('slow'), { 'connect-timeout-ms': '50' }, 504, 'deadline_exceeded'],
]

test.each(refused)('%s is told as an error', async (_, body, headers, status, code) => {
  const answer = await call(body(), headers)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body.toString())).toMatchObject({ code })
})

test('a caller who leaves takes the handler’s work away', async () => {
  const stream = begin()
  stream.end(asking('slow'))
  await new Promise((resolve) => client.ping(resolve))
  stream.close(constants.NGHTTP2_CANCEL)
  await left.promise
})

test('JSON and methods that are none are Connect’s own business', async () => {
  const json = await call(Buffer.from('{"slug":"docs"}'), { 'content-type': 'application/json' })
  expect(JSON.parse(json.body.toString())).toMatchObject({ project: { name: 'docs' } })
  const none = await call(asking('docs'), { ':path': `/${ProjectService.typeName}/Nothing` })
  expect(none.status).toBe(404)
})
