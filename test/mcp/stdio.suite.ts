// `lectern mcp` as agents start it: the official client, over standard input and output of a real process.
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, expect, it } from 'vitest'
import { runCli } from '../e2e/cli.ts'
import { type Harbor, sharedHarbor } from '../e2e/harbor.ts'
import { adminKey, runEnded } from '../e2e/lectern-process.ts'

const command = fileURLToPath(new URL('../../bin/lectern', import.meta.url))

let harbor: Harbor
beforeAll(async () => {
  harbor = await sharedHarbor()
})

async function connect(slug: string, key: string): Promise<Client> {
  const env = { PATH: process.env.PATH!, LECTERN_GRPC: harbor.lectern.grpc, LECTERN_API_KEY: key }
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(new StdioClientTransport({ command, args: ['mcp', slug], env }))
  return client
}

const toolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

async function makeKey(permissions: string[], projects: string[]): Promise<string> {
  const { body } = await harbor.lectern.call('POST', '/api/v2/keys/', { name: 'K', permissions, projects })
  return body.key
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input })
  const [first] = content as { type: string; text: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: fields of any tool
  return { text: first!.text, fields: structuredContent as any, isError: isError === true }
}

it('searches and asks as over HTTP', async () => {
  const client = await connect('harbor', await makeKey(['search', 'chats_create'], ['harbor']))
  expect(await toolNames(client)).toEqual(['search', 'read_document', 'ask'])
  const found = await call(client, 'search', { query: 'environment variable proxy' })
  expect(found.fields.results[0]).toMatchObject({ title: 'Using a proxy' })
  const answer = await call(client, 'ask', { question: 'How do I install Harbor on Linux?' })
  expect([answer.isError, answer.fields.outcome]).toEqual([false, expect.any(String)])
  await client.close()
})

it('adds a source, starts a sync and reads its state if the key may', async () => {
  const client = await connect('harbor', adminKey)
  expect((await toolNames(client)).slice(3)).toEqual(['add_source', 'start_sync', 'read_sync'])
  const url = 'http://127.0.0.1:1/nowhere/'
  const added = await call(client, 'add_source', { url, type: 'url' })
  expect(added.isError).toBe(false)
  const started = await call(client, 'start_sync')
  await runEnded(harbor.lectern, 'harbor', started.fields.uuid)
  const state = await call(client, 'read_sync')
  expect(state.fields).toMatchObject({ uuid: started.fields.uuid, status: 'completed' })
  expect(state.text).toMatch(/^The sync is completed\. Pages: discovered \d+.*\n1 source could not be read: /)
  const again = await call(client, 'add_source', { url: 'nothing' })
  expect([again.isError, again.text]).toEqual([true, expect.stringContaining('url')])
  await client.close()
})

it('lacks these tools with a key of another project', async () => {
  const client = await connect(
    'harbor',
    await makeKey(['sources_create', 'sync_create', 'sync_read'], ['manual']),
  )
  expect(await toolNames(client)).toEqual(['search', 'read_document', 'ask'])
  await client.close()
})

it('ends with its input, and suggests a project with a similar name', async () => {
  const settings = { LECTERN_GRPC: harbor.lectern.grpc }
  expect(await runCli(['mcp', 'harbr'], settings)).toEqual({
    ...{ code: 1, out: '', err: 'lectern: There is no such project. Did you mean harbor?\n' },
  })
  expect(await runCli(['mcp', 'harbor'], settings)).toEqual({ code: 0, out: '', err: '' })
})
