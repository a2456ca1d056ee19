// The MCP server of a project. Over HTTP, each request creates its own server: the gateway keeps no state of clients.
import { createMcpHandler, McpServer, ProtocolError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { McpServer as ServerSettings } from '../../gen/lectern/v1/mcp_pb.js'
import { isUnforeseen, toFault } from '../errors.ts'
import {
  ask,
  readDocument,
  readPage,
  search,
  type Tool,
  type ToolAnswer,
  type ToolContext,
  tools,
} from './tools.ts'

interface McpRequest {
  settings: ServerSettings
  context: ToolContext
  /** Records a call for the analytics. */
  toolCalled(tool: string, isError: boolean): void
  /** Receives errors that clients do not see. */
  report(error: unknown): void
  /** Tools in addition to those for readers. */
  moreTools?: readonly Tool[]
}

/** Maximum tokens of a document that is read as a resource. Resources have no pages: the tool reads the rest. */
const maxResource = 50_000

export const toolNames: readonly string[] = tools.map(({ name }) => name)

/** Never rejects. Returns a complete response: nothing is streamed. */
export function serveMcp(request: Request, options: McpRequest): Promise<Response> {
  const handler = createMcpHandler(() => createServer(options), {
    // Resources never change, so nobody can subscribe.
    maxSubscriptions: 0,
  })
  return handler.fetch(request)
}

export function createServer({ settings, context, toolCalled, report, moreTools = [] }: McpRequest) {
  const { name, projectName } = settings
  const server = new McpServer(
    { name, version: '2' },
    {
      instructions:
        `The documentation of ${projectName}. Use \`${search.name}\` to find sections, \`${readDocument.name}\` to read ` +
        `a whole page, \`${ask.name}\` for an answer with sources. Cite the addresses that the tools give.`,
    },
  )
  async function answer(tool: string, work: Promise<ToolAnswer>) {
    try {
      const { text, fields } = await work
      toolCalled(tool, false)
      return { content: [{ type: 'text' as const, text }], structuredContent: fields }
    } catch (error) {
      toolCalled(tool, true)
      return { content: [{ type: 'text' as const, text: describeError(error) }], isError: true }
    }
  }

  function describeError(error: unknown): string {
    if (isUnforeseen(error) && !context.call.signal.aborted) report(error)
    return toFault(error).sentence
  }

  for (const tool of [...tools, ...moreTools]) {
    const { title, description, isReadOnly, input, output } = tool
    const annotations = { readOnlyHint: isReadOnly, openWorldHint: false }
    const about = { title, description, annotations, inputSchema: input, outputSchema: output }
    server.registerTool(tool.name, about, (given: unknown) => answer(tool.name, tool.run(given, context)))
  }
  server.registerResource(
    'document',
    new ResourceTemplate('lectern://documents/{document_id}', { list: undefined }),
    {
      title: 'A document',
      description: `The text of a page or file by its document_id, its first ${maxResource} tokens.`,
      mimeType: 'text/markdown',
    },
    async (uri, { document_id }) => {
      const documentRequest = { document_id: String(document_id), cursor: '', max_tokens: maxResource }
      try {
        const { page } = await readPage(documentRequest, context)
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: page.text }] }
      } catch (error) {
        // The protocol's codes for invalid params, which it asks for where nothing is there, and for an internal error.
        throw new ProtocolError(toFault(error).status === 404 ? -32602 : -32603, describeError(error))
      }
    },
  )
  return server
}
