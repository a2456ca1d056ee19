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
