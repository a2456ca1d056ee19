// `lectern mcp`: a project's MCP over standard input and output, for agents that start a command. A key with the permissions also
// gets tools to add a source, start a sync and read its state.
import { once } from 'node:events'
import { createContextValues } from '@connectrpc/connect'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { createCoreClient } from '../gateway/core-client.ts'
import { createServer } from '../gateway/mcp/server.ts'
import { type Tool, tool } from '../gateway/mcp/tools.ts'
import { McpService } from '../gen/lectern/v1/mcp_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { type CliClient, type Connection, createCliClient, readPermissions } from './client.ts'
import { withoutControls } from './print.ts'
import { describeFailedSources } from './progress.ts'

/** Source types that need nothing but an address. */
const addressTypes = ['site', 'url', 'sitemap', 'repository', 'openapi'] as const

const run = z.object({ uuid: z.string(), status: z.string() })

/** Permission → the tool for operators that needs it. */
function createTools(client: CliClient): Record<string, Tool> {
  return {
    sources_create: tool({
      name: 'add_source',
      title: 'Add a source',
      description: 'Adds pages to the documentation by their address. The next sync reads them.',
      isReadOnly: false,
      input: z.object({
        url: z.string().max(4_000).describe('Where the site, sitemap, repository or API description is.'),
        type: z
          .enum(addressTypes)
          .default('site')
          .describe('`url`: one page; `site`: it and what it links to.'),
        include: z.array(z.string()).max(100).default([]).describe('Globs of addresses to take; empty: all.'),
        exclude: z.array(z.string()).max(100).default([]).describe('Globs of addresses to leave out.'),
      }),
      output: z.object({ uuid: z.string(), name: z.string() }),
      async run(source, { slug }) {
        const { uuid, name } = await client.call(SourceService.method.createSource, { slug, source })
        return { text: `Added the source ${name}. Start a sync to read it.`, fields: { uuid, name } }
      },
    }),
    sync_create: tool({
      name: 'start_sync',
      title: 'Start a sync',
      description: 'Reads all sources again, in the background. A sync that is running is cancelled.',
      isReadOnly: false,
      input: z.object({}),
      output: run,
      async run(_, { slug }) {
        const { uuid, status } = await client.call(SyncService.method.startSync, { slug, trigger: 'cli' })
        return { text: `The sync is ${status}.`, fields: { uuid, status } }
      },
    }),
    sync_read: tool({
      name: 'read_sync',
      title: 'Read the state of the latest sync',
      description: 'Returns the progress or end of the latest sync, and sources that could not be read.',
      isReadOnly: true,
      input: z.object({}),
      output: run.extend({ pages: z.record(z.string(), z.number()), error: z.string().nullable() }),
      async run(_, { slug }) {
        const run = await client.call(SyncService.method.getLatestSync, { slug })
        const { uuid, status, pages, error, sources_failed: failed } = run
        const counts = Object.entries(pages).map(([name, count]) => `${name} ${count}`)
        const failures = failed > 0 ? await describeFailedSources(client, slug) : (error ?? '')
        const text = `The sync is ${status}. Pages: ${counts.join(', ')}.\n${failures}`.trim()
        return { text, fields: { uuid, status, pages, error } }
      },
    }),
  }
}

/** Serves until standard input ends. Standard output carries nothing but the protocol. */
export async function serveMcp(connection: Connection, slug: string): Promise<void> {
  const { transport, authorization } = connection
  // There is no origin to attest.
  const core = createCoreClient({ transport, attestOrigin: () => createContextValues() })
  const { signal } = new AbortController()
  const origin = { surface: 'mcp', address: '', origin: null, connection: null } as const
  const call = { origin, authorization, team: '', signal }
  const { server: settings } = await core.call(McpService.method.getMcpServer, { slug }, call)
  const client = createCliClient(connection)
  const permissions = await readPermissions(client, slug)
  const moreTools = Object.entries(createTools(client)).flatMap(([permission, tool]) =>
    permissions.includes(permission) ? [tool] : [],
  )
  const metadata = settings!.metadataTag ?? null
  const report = (error: unknown) => process.stderr.write(`lectern: ${withoutControls(String(error))}\n`)
  const context = { core, call, slug, pageUrl: null, metadata }
  serveStdio(() => createServer({ settings: settings!, context, moreTools, report, toolCalled() {} }))
  await once(process.stdin, 'close')
  process.exit()
}
