import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { SourceSchema } from '../../gen/lectern/v1/source_pb.js'
import { newSource } from './add-sources.ts'
import { createCredentialKeeper, setCredentials } from './credentials.ts'

const keeper = createCredentialKeeper(Buffer.alloc(32, 1))
const project = { uuid: 'p', team: 't' } as Parameters<typeof newSource>[1]

function setHeader(header: string) {
  const deps = { newUuid: () => 's', now: () => new Date(0), store: { sources: {} as never } }
  const source = newSource(deps, project, 'openapi', 'https://docs.example/openapi.json')
  const given = create(SourceSchema, { credentials: { header, value: 'secret' } })
  setCredentials(keeper, source, ['credentials'], given)
  return keeper.open('s', source.credentials ?? '')
}

test.each(['Authorization', 'X-Api-Key', 'Cookie', 'PRIVATE-TOKEN'])(
  'a credential may be sent as %s',
  (header) => {
    expect(setHeader(header)).toEqual({ header, value: 'secret' })
  },
)

test.each(
  `Host Cookie2 Connection Keep-Alive TE Trailer Transfer-Encoding Upgrade Content-Length Expect Origin Referer Via Date
   Proxy-Authorization Sec-Fetch-Site X-Forwarded-For X-Forwarded-Host X-Real-IP Forwarded`.split(/\s+/),
)('a credential may not be sent as %s', (header) => {
  expect(() => setHeader(header)).toThrow(/^credentials\.header: must not be a header that routes/)
})

function setHeaders(headers: Record<string, unknown>) {
  const deps = { newUuid: () => 's', now: () => new Date(0), store: { sources: {} as never } }
  const source = newSource(deps, project, 'site', 'https://docs.example/')
  setCredentials(keeper, source, ['credentials'], create(SourceSchema, { credentials: { headers } as never }))
  return source.credentials && keeper.open('s', source.credentials)
}

test('a site takes several headers, whose names are written in lower case', () => {
  const headers = { Authorization: 'Basic eDp5', 'X-Api-Key': 'k' }
  expect(setHeaders(headers)).toEqual({ headers: { authorization: 'Basic eDp5', 'x-api-key': 'k' } })
  expect(setHeaders({})).toBeNull()
})

test.each([
  [{ Host: 'a' }, /^credentials\.headers\.Host: must not be a header that routes/],
  [{ 'X-Forwarded-For': 'a' }, /^credentials\.headers\.X-Forwarded-For: must not be a header that routes/],
  [{ 'a b': 'c' }, /^credentials\.headers\.a b: must be the name of a header/],
  [{ a: 'b\r\nc: d' }, /^credentials\.headers\.a: must be of printable ASCII/],
  [{ a: 1 }, /^credentials\.headers\.a: must be a string of 1 to 4000 characters/],
  [{ a: '' }, /^credentials\.headers\.a: must be a string/],
  [{ a: 'b', A: 'c' }, /^credentials\.headers\.A: must not be there twice/],
  [
    Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, 'v'])),
    /^credentials\.headers: must have at most 20/,
  ],
])('%j is refused', (headers, problem) => {
  expect(() => setHeaders(headers)).toThrow(problem)
})
