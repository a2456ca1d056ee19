// REST v2 of a complete Lectern over a real socket: every row is reached and returns its status for existing objects.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restV2 } from '../../gateway/rest-v2.ts'
import { openRealCore, type RealCore, slugs } from '../protocol/real-core.ts'
import { adminKey } from './lectern-process.ts'

let core: RealCore
beforeAll(async () => {
  core = await openRealCore()
})
afterAll(() => core.close())

const docs = `/api/v2/projects/${slugs.open}/`
let made = 0

async function post(path: string, body: unknown) {
  const answer = await core.lectern.call('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** The call of `lectern console`, which is in the contract, but not in REST. */
async function createSignInLink(): Promise<string> {
  const answer = await fetch(`http://${core.lectern.grpc}/lectern.v1.KeyService/CreateSignInLink`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Api-Key ${adminKey}` },
    body: '{}',
  })
  return ((await answer.json()) as { token: string }).token
}

const invited = () => post('/api/v2/team/invitations/', { email: `b${made++}@b.example`, role: 'viewer' })

const bodyOf: Record<string, () => unknown> = {
  'POST /api/v2/projects/': () => ({ name: 'Docs' }),
  'POST /api/v2/projects/{slug}/sources/': () => ({ type: 'url', url: `https://d.example/${made++}` }),
  'POST /api/v2/projects/{slug}/recrawl/': () => ({ url: `${core.site.url}asyncio.html` }),
  'POST /api/v2/projects/{slug}/test-url/': () => ({
    url: 'https://d.example/',
    source: { type: 'url', url: 'https://e.example/' },
  }),
  'POST /api/v2/projects/{slug}/pages/match/': () => ({
    source: { type: 'site', url: 'https://d.example/' },
  }),
  'POST /api/v2/openapi/validate/': () => ({ spec: { openapi: '3.1.0' } }),
  'POST /api/v2/projects/{slug}/chats/': () => ({ message: 'How do I share work?' }),
  'POST /api/v2/projects/{slug}/messages/{message_uuid}/feedback/': () => ({ reaction: 1 }),
  'POST /api/v2/teams/': () => ({ name: 'Blue' }),
  'POST /api/v2/team/invitations/': () => ({ email: `a${made++}@b.example`, role: 'viewer' }),
  'POST /api/v2/team/invitations/accept/': async () => ({ token: (await invited()).token, name: 'Ann' }),
  'POST /api/v2/keys/': () => ({ name: 'K', permissions: ['search'] }),
  'POST /api/v2/keys/sign-in/': async () => ({ token: await createSignInLink() }),
}

const queries: Record<string, string> = {
  'GET /api/v2/projects/{slug}/search/': '?q=x',
  'GET /api/v2/projects/{slug}/search/explain/': '?q=x',
  'GET /api/v2/projects/{slug}/pages/lookup/': '?url=https://d.example/',
  'DELETE /api/v2/projects/{slug}/chats/': '?email=a',
}

const asked = () => post(`${docs}chats/`, { message: 'How do I share work?' })

/** Creates the object of a row and returns its identifier in the path. */
const thingOf: Record<string, (row: string) => Promise<string>> = {
  slug: async (row) =>
    row === 'DELETE /api/v2/projects/{slug}/'
      ? (await post('/api/v2/projects/', { name: 'Gone' })).slug
      : slugs.open,
  source_uuid: async () =>
    (await post(`${docs}sources/`, bodyOf['POST /api/v2/projects/{slug}/sources/']!())).uuid,
  sync_uuid: async (row) => (row.includes('cancel') ? (await core.beginHeld()).run : core.run),
  recrawl_uuid: async () => (await post(`${docs}recrawl/`, { url: `${core.site.url}asyncio.html` })).uuid,
  document_id: async () => {
    const found = await core.lectern.call('GET', `${docs}search/?q=asyncio`)
    return found.body.results[0].document_id
  },
  chat_uuid: async () => (await asked()).chat_uuid,
  message_uuid: async () => (await asked()).ai_message.messageId,
  invitation_uuid: async () => (await invited()).uuid,
  member_uuid: async () => {
    const { token } = await invited()
    return (await post('/api/v2/team/invitations/accept/', { token, name: 'Ann' })).member.uuid
  },
  key_uuid: async () => (await post('/api/v2/keys/', { name: 'K', permissions: ['search'] })).uuid,
}

describe('every row is reached', () => {
  for (const { method, path, status } of restV2) {
    it(`${method} ${path} answers ${status}`, async () => {
      const row = `${method} ${path}`
      let address = path
      for (const [place, name] of path.matchAll(/\{(\w+)\}/g))
        address = address.replace(place, encodeURIComponent((await thingOf[name!]?.(row)) ?? 'one'))
      const body = (await bodyOf[row]?.()) ?? (method === 'PATCH' ? {} : undefined)
      const answer = await core.lectern.call(method, address + (queries[row] ?? ''), body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(status)
      if (status === 204) expect(answer.body).toBeNull()
    })
  }
})
