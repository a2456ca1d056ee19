// REST v2 over a real socket: every row is reached, and what comes back has the shape of decisions.md section 3.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restV2 } from '../../gateway/rest-v2.ts'
import { openTestGateway, type TestGateway } from './gateway/lectern-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openTestGateway()
})
afterAll(() => gateway.close())

const bodies: Record<string, unknown> = {
  'POST /api/v2/projects/': { name: 'Docs' },
  'POST /api/v2/projects/{slug}/sources/': { type: 'site', url: 'https://d.example/' },
  'POST /api/v2/projects/{slug}/recrawl/': { url: 'https://d.example/a' },
  'POST /api/v2/openapi/validate/': { spec: { openapi: '3.1.0' } },
  'POST /api/v2/projects/{slug}/chats/': { message: 'How?' },
  'POST /api/v2/projects/{slug}/messages/{message_uuid}/feedback/': { reaction: 1 },
  'POST /api/v2/teams/': { name: 'Blue' },
  'POST /api/v2/team/invitations/': { email: 'a@b.example', role: 'viewer' },
  'POST /api/v2/team/invitations/accept/': { token: 't', name: 'Ann' },
  'POST /api/v2/keys/': { name: 'K', permissions: ['search'] },
}

const queries: Record<string, string> = {
  'GET /api/v2/projects/{slug}/search/': '?q=x',
  'DELETE /api/v2/projects/{slug}/chats/': '?email=a',
}

describe('every row is reached, with its trailing slash and without', () => {
  const unimplemented = /chats|feedback|analytics|team|invitations|openapi/
  for (const { method, path, status } of restV2) {
    const expected = unimplemented.test(path)
      ? 501
      : path.endsWith('/sync/') && method === 'GET'
        ? 404
        : status
    it.each([path, path.replace(/\/$/, '')])(`${method} %s answers ${expected}`, async (pattern) => {
      const address = pattern.replace('{slug}', 'open').replace(/\{\w+\}/g, 'one')
      const query = queries[`${method} ${path}`] ?? ''
      const body = bodies[`${method} ${path}`] ?? (method === 'PATCH' ? {} : undefined)
      const answer = await gateway.ask(method, address + query, body)
      const text = await answer.text()
      expect(answer.status, text).toBe(expected)
      if (expected === 501) expect(JSON.parse(text)).toMatchObject({ code: 'unimplemented' })
      if (expected === 204) expect(text).toBe('')
    })
  }
})
