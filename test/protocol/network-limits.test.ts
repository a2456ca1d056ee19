// In-memory limits per network address: guessed keys, and reads without a key.
import { randomBytes } from 'node:crypto'
import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { expect, it } from 'vitest'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { DocumentService } from '../../gen/lectern/v1/document_pb.js'
import { ErrorDetailSchema } from '../../gen/lectern/v1/error_pb.js'
import { KeyService } from '../../gen/lectern/v1/key_pb.js'
import { access as accessOption } from '../../gen/lectern/v1/options_pb.js'
import { SearchService } from '../../gen/lectern/v1/search_pb.js'
import { createKey } from '../../services/key/key-format.ts'
import { services } from '../../services/routes.ts'
import { addKey, adminKey, inMemory, projects, signCaller } from './core.ts'

const keys = createClient(KeyService, inMemory)
const search = createClient(SearchService, inMemory)
const documents = createClient(DocumentService, inMemory)

type Call = (request: object, options: object) => Promise<unknown>

/** Options of a caller at the address, with or without a key. */
function from(address: string, key = '') {
  const caller = signCaller({ surface: 'v2', address, origin: null, connection: null })
  return { headers: { 'lectern-caller': caller, ...(key && { authorization: `Api-Key ${key}` }) } }
}

/** `ok`, or the error code with its reason and retry delay. */
async function outcome(call: Promise<unknown>) {
  try {
    await call
    return 'ok'
  } catch (caught) {
    const error = ConnectError.from(caught)
    const reason = error.findDetails(ErrorDetailSchema)[0]?.reason
    const wait = error.metadata.get('retry-after')
    return [Code[error.code], reason, ...(wait ? [Number(wait)] : [])].join(' ')
  }
}

const tooMany = 'ResourceExhausted rate_limited 60'

it('ignores keys after 30 wrong ones per minute, except keys that were valid before', async () => {
  const before = await addKey({ permissions: ['keys_read'] })
  const after = await addKey({ permissions: ['keys_read'] })
  const list = (address: string, key: string) => outcome(keys.listKeys({}, from(address, key)))
  expect(await list('9.9.9.1', before)).toBe('ok')
  for (let sent = 1; sent <= 30; sent++) {
    // Some have the format of a key, some do not.
    const wrong = sent % 2 ? createKey(randomBytes) : `guess-${sent}`
    expect(await list('9.9.9.1', wrong)).toBe('Unauthenticated unauthenticated')
  }
  for (const key of ['guess', createKey(randomBytes), after]) expect(await list('9.9.9.1', key)).toBe(tooMany)
  expect(await list('9.9.9.1', before)).toBe('ok')
  expect(await list('9.9.9.2', after)).toBe('ok')
  expect(await list('9.9.9.1', adminKey)).toBe('ok')

  // Where no key is needed, an invalid one is still ignored.
  const { slug } = projects.public
  expect(await outcome(search.search({ slug, q: 'x' }, from('9.9.9.1', 'guess')))).toBe('ok')
  expect(
    await outcome(search.search({ slug: projects.private.slug, q: 'x' }, from('9.9.9.1', 'guess'))),
  ).toBe(tooMany)
})

it('counts a wrong key once, and only where a key is needed', async () => {
  const fresh = await addKey({ permissions: ['keys_read'] })
  const list = (key: string) => outcome(keys.listKeys({}, from('9.9.9.3', key)))
  const { slug } = projects.public
  for (let sent = 1; sent <= 40; sent++) {
    const key = createKey(randomBytes)
    expect(await outcome(search.search({ slug, q: 'x' }, from('9.9.9.3', key)))).toBe('ok')
    expect(await list('the same each time')).toBe('Unauthenticated unauthenticated')
  }
  expect(await list(fresh)).toBe('ok')
})

it('limits every RPC that needs no key, except messages', async () => {
  const open = services
    .flatMap((service) => service.methods)
    .filter((method) => {
      const access = getOption(method, accessOption)
      return access.public || access.anyone || access.restoreToken
    })
    .filter(({ localName }) => !['sendMessage', 'continueMessage'].includes(localName))
  expect(open.length).toBeGreaterThan(8)
  const { slug } = projects.public
  const { headers } = from('9.9.9.4')
  const call = (method: DescMethod, request: object) => {
    const client = createClient(method.parent, inMemory) as unknown as Record<string, Call>
    return outcome(client[method.localName]!(request, { headers }))
  }
  for (let sent = 1; sent <= 600; sent++)
    expect(await outcome(search.search({ slug, q: 'x' }, { headers }))).toBe('ok')
  for (const method of open) {
    const request = method.input.fields.some(({ name }) => name === 'slug')
      ? { slug, restoreToken: 't' }
      : { token: 't', name: 'n' }
    expect([method.name, await call(method, request)]).toEqual([method.name, tooMany])
  }
  // The chat or the message identifies the project.
  for (const name of ['getChat', 'submitFeedback'] as const)
    expect(await call(ChatService.method[name], { restoreToken: 't', reaction: 1 })).toBe(tooMany)
  expect(
    await outcome(keys.listKeys({}, from('9.9.9.4', await addKey({ permissions: ['keys_read'] })))),
  ).toBe('ok')
})

it('rejects the 601st search, click or document per minute without a key', async () => {
  const { slug } = projects.public
  const good = await addKey({ permissions: ['search'] })
  const poor = await addKey({ permissions: ['keys_read'] })
  const ask = (address: string, key = '') => outcome(search.search({ slug, q: 'x' }, from(address, key)))
  for (let sent = 1; sent <= 600; sent++) {
    // A /64 counts as one address.
    expect(await ask(`2001:db8:1:2::${sent}`, sent % 2 ? '' : poor)).toBe('ok')
  }
  expect(await ask('2001:db8:1:2::')).toBe(tooMany)
  const { headers } = from('2001:db8:1:2::')
  expect(await outcome(documents.getDocument({ slug, documentId: 'd' }, { headers }))).toBe(tooMany)
  expect(await outcome(search.reportClick({ slug }, { headers }))).toBe(tooMany)
  expect(await ask('2001:db8:1:2::', good)).toBe('ok')
  expect(await ask('2001:db8:1:3::')).toBe('ok')
})
