// MCP as its clients use it: the official client against a real process.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addHarborProject, type Harbor, openHarbor } from '../e2e/harbor.ts'
import { adminKey } from '../e2e/lectern-process.ts'

const question = 'How do I install Harbor on Linux?'

let harbor: Harbor
beforeAll(async () => {
  harbor = await openHarbor()
  const mcp = { enabled: true, server_name: 'Harbor docs', metadata_tag: 'agents' }
  for (const slug of ['harbor', 'secret']) await change(slug, { config: { mcp } })
  await addHarborProject(harbor, 'closed')
})
afterAll(() => harbor.close())

const change = (slug: string, body: unknown) =>
  harbor.lectern.call('PATCH', `/api/v2/projects/${slug}/`, body)

async function connect(path: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'tests', version: '1' })
  const url = new URL(path, harbor.lectern.baseUrl)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: fields of any tool
type Called = { text: string; fields: any; isError: boolean }

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input })
  const [first] = content as { type: string; text: string }[]
  return { text: first!.text, fields: structuredContent, isError: isError === true }
}

/** Sends a JSON-RPC request like a client without the SDK. */
function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(new URL(path, harbor.lectern.baseUrl), {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

describe('a client', () => {
  it.each(['/v2/harbor/mcp', '/mcp/harbor', '/mcp/harbor/'])('connects at %s', async (path) => {
    const client = await connect(path)
    expect(client.getServerVersion()?.name).toBe('Harbor docs')
    expect(client.getInstructions()).toContain('harbor')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'read_document', 'ask'])
    for (const tool of tools) {
      expect(tool.description).not.toBe('')
      for (const property of Object.values(tool.inputSchema.properties ?? {})) {
        expect(property).toHaveProperty(['type'])
      }
    }
    await client.close()
  })

  it('searches, and reads found documents', async () => {
    const client = await connect('/mcp/harbor')
    const found = await call(client, 'search', { query: 'environment variable proxy' })
    const [first] = found.fields.results
    expect(first).toMatchObject({ title: 'Using a proxy', url: expect.stringContaining('/proxy.html') })
    expect(found.text).toContain('HARBOR_PROXY')
    expect(found.text).toContain(first.url)
    const read = await call(client, 'read_document', { document_id: first.document_id })
    expect(read.text).toContain('Harbor connects directly')
    expect(read.fields).toMatchObject({ title: 'Using a proxy', next_cursor: null })
    const wrong = await call(client, 'read_document', { document_id: first.document_id, cursor: 'x' })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('cursor') })
    const { contents } = await client.readResource({ uri: `lectern://documents/${first.document_id}` })
    expect(contents[0]).toMatchObject({
      mimeType: 'text/markdown',
      text: expect.stringContaining('HARBOR_PROXY'),
    })
    // Invalid params, as in the protocol for a missing resource.
    await expect(client.readResource({ uri: 'lectern://documents/none' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('document'),
    })
    await client.close()
  })

  it('asks, and continues the conversation with its tag', async () => {
    const client = await connect('/mcp/harbor')
    const first = await call(client, 'ask', { question })
    expect(first.text).toContain('apt install harbor')
    expect(first.fields).toMatchObject({ outcome: 'answered', conversation: expect.any(String) })
    expect(first.fields.sources[0]).toEqual({
      title: 'Installing Harbor',
      url: expect.stringContaining('/install.html'),
      quote: expect.stringContaining('apt install harbor'),
    })
    expect(first.text).toContain('/install.html')
    const { conversation } = first.fields
    const second = await call(client, 'ask', { question: 'And on Windows?', conversation })
    expect(second.fields.conversation).toBe(conversation)
    const uuid = conversation.split('.')[0]
    const { body } = await harbor.lectern.call('GET', `/api/v2/projects/harbor/chats/${uuid}/`)
    expect(body).toMatchObject({ metadata: 'agents', message_count: 4 })
    const foreign = await call(client, 'ask', { question, conversation: `${uuid}.${'0'.repeat(43)}` })
    expect(foreign).toMatchObject({ isError: true, text: expect.stringMatching(/chat/) })
    await client.close()
  })

  it('learns that the documentation does not contain the answer', async () => {
    const client = await connect('/mcp/harbor')
    const { fields } = await call(client, 'ask', { question: 'Who won the football match last night?' })
    expect(fields).toMatchObject({ outcome: 'refused', sources: [] })
    await client.close()
  })

  it('reads long results in pages, cut between sections, to the end', async () => {
    const client = await connect('/mcp/harbor')
    const input = { query: 'harbor', limit: 10, max_tokens: 200 }
    const whole = await call(client, 'search', { ...input, max_tokens: 50_000 })
    expect(whole.fields.next_cursor).toBeNull()
    const titles: string[] = []
    const texts: string[] = []
    let cursor = ''
    do {
      const page = await call(client, 'search', { ...input, cursor })
      titles.push(...page.fields.results.map(({ title }: { title: string }) => title))
      texts.push(page.text.replace(/\n\n\(There is more: .*\)$/, ''))
      cursor = page.fields.next_cursor ?? ''
    } while (cursor !== '')
    expect(texts.length).toBeGreaterThan(1)
    expect(texts.join('\n\n')).toBe(whole.text)
    expect(titles).toEqual(whole.fields.results.map(({ title }: { title: string }) => title))
    await client.close()
  })

  it.each([
    ['search', { query: '' }, 'query'],
    ['search', { query: 'x', max_tokens: 1 }, 'max_tokens'],
    ['search', { query: 'x', max_tokens: 50_001 }, 'max_tokens'],
    ['search', { query: 'x', cursor: '9' }, 'cursor'],
    ['ask', { question: 'x'.repeat(1_001) }, 'question'],
    ['read_document', { document_id: 'nothing-of-this-name' }, 'document'],
  ])('%s rejects %j and names what is wrong', async (name, input, named) => {
    const client = await connect('/mcp/harbor')
    const answer = await call(client, name, input)
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(named) })
    await client.close()
  })
})

describe('authorization', () => {
  it('returns 404 for a project without MCP, and for an unknown one', async () => {
    for (const slug of ['closed', 'nothing']) expect((await post(`/mcp/${slug}`, list)).status).toBe(404)
  })

  it('requires a key for a private project: as Api-Key, as Bearer, or in the address', async () => {
    expect((await post('/mcp/secret', list)).status).toBe(401)
    const body = { name: 'agents', permissions: ['search'], projects: ['secret'] }
    const { key } = (await harbor.lectern.call('POST', '/api/v2/keys/', body)).body
    for (const authorization of [`Api-Key ${key}`, `Bearer ${key}`]) {
      expect((await post('/mcp/secret', list, { authorization })).status).toBe(200)
    }
    const client = await connect(`/mcp/secret?api_key=${key}`)
    expect((await call(client, 'search', { query: 'install' })).text).toContain('apt install')
    const asked = await call(client, 'ask', { question })
    expect(asked).toMatchObject({ isError: true, text: expect.stringContaining('chats_create') })
    await client.close()
    expect((await post('/mcp/secret', list, { authorization: 'Bearer lec_nothing' })).status).toBe(401)
  })

  it('accepts pages of other sites only if the project allows their domain', async () => {
    const origin = 'https://docs.example.org'
    expect((await post('/mcp/harbor', list, { origin })).status).toBe(403)
    expect((await post('/mcp/harbor', list, { origin: 'http://localhost:6274' })).status).toBe(200)
    await addHarborProject(harbor, 'allowing')
    await change('allowing', { allowed_domains: ['docs.example.org'], config: { mcp: { enabled: true } } })
    const answer = await post('/mcp/allowing', list, { origin })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await fetch(new URL('/mcp/allowing', harbor.lectern.baseUrl), { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
    expect((await post('/mcp/allowing', list, { origin: 'https://example.net' })).status).toBe(403)
    const client = await connect('/mcp/allowing')
    expect((await call(client, 'ask', { question })).isError).toBe(true)
    const onPage = await connect(
      `/mcp/allowing?domain=${encodeURIComponent(`${origin}/guide`)}&metadata=mine`,
    )
    const asked = await call(onPage, 'ask', { question })
    const uuid = asked.fields.conversation.split('.')[0]
    const { body } = await harbor.lectern.call('GET', `/api/v2/projects/allowing/chats/${uuid}/`)
    expect(body).toMatchObject({ metadata: 'mine', url: `${origin}/guide` })
  })

  it('accepts only this machine’s host name if only this machine may connect', async () => {
    const { hostname, port } = new URL(harbor.lectern.baseUrl)
    const { request } = await import('undici')
    const status = async (host: string) => {
      const answer = await request(`http://${hostname}:${port}/mcp/harbor`, {
        method: 'POST',
        headers: { host, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify(list),
      })
      await answer.body.dump()
      return answer.statusCode
    }
    expect(await status('evil.example.com')).toBe(403)
    expect(await status(`localhost:${port}`)).toBe(200)
  })
})

describe('analytics', () => {
  const analytics = async () =>
    (await harbor.lectern.call('GET', '/api/v2/projects/counted/analytics/mcp/')).body

  it('count sessions by client, and calls by tool, including failed and rejected ones', async () => {
    await addHarborProject(harbor, 'counted')
    await change('counted', { config: { mcp: { enabled: true } } })
    const one = await connect('/mcp/counted')
    const answers = [
      await call(one, 'search', { query: { not: 'text' } }),
      await call(one, 'ask', {}),
      await call(one, 'read_document', { document_id: 'nothing-of-this-name' }),
      await call(one, 'search', { query: 'proxy' }),
    ]
    await one.close()
    const clientHeaders = { 'x-mcp-client-name': ' Agent\tof mine ', 'x-mcp-client-version': '2.0' }
    const other = await connect('/mcp/counted', clientHeaders)
    answers.push(await call(other, 'search', { query: 'proxy' }))
    await other.close()
    const failed = answers.map(({ isError }) => isError)
    expect(failed.slice(0, 3)).toEqual([true, true, true])
    // A busy machine may reject one of the others.
    const totals = { sessions: 2, tool_calls: 5, errors: failed.filter(Boolean).length }
    await expect.poll(async () => (await analytics()).totals).toEqual(totals)
    const { daily, end_date, top_tools, top_clients } = await analytics()
    expect(daily.at(-1)).toEqual({ date: end_date, ...totals })
    expect(top_tools).toEqual([
      { tool: 'search', count: 3 },
      { tool: 'ask', count: 1 },
      { tool: 'read_document', count: 1 },
    ])
    expect(top_clients).toEqual([
      { client: 'Agent of mine 2.0', count: 1 },
      { client: 'tests 1', count: 1 },
    ])
  })
})

describe('the protocol', () => {
  it('writes no lines to the log', () => {
    expect(harbor.lectern.output.filter((line) => /mcp|responseMode/i.test(line))).toEqual([])
  })

  it('has no sessions and rejects other methods', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(new URL('/mcp/harbor', harbor.lectern.baseUrl), { method })
      expect(answer.status).toBe(405)
    }
  })

  it.each([
    ['no JSON', '{', 400],
    ['no request', { hello: 1 }, 400],
    ['a batch', [list], 400],
    ['a body above 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 413],
  ])('rejects %s', async (_name, body, status) => {
    expect((await post('/mcp/harbor', body)).status).toBe(status)
  })

  it('accepts a body that begins with a byte order mark', async () => {
    expect((await post('/mcp/harbor', `\ufeff${JSON.stringify(list)}`)).status).toBe(200)
  })

  it('hides internal errors from clients', async () => {
    const client = await connect('/mcp/harbor', { authorization: `Api-Key ${adminKey}` })
    const { text } = await call(client, 'read_document', { document_id: "'; drop table page --" })
    expect(text).not.toMatch(/sqlite|\/services\/|at .*:\d+/i)
    await client.close()
  })
})
