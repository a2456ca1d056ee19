// Settings for MCP clients, the same as in manual/agents.md.

export interface McpClient {
  name: string
  /** Path below the reader's workspace folder. */
  file: string
  settings: object
}

export interface McpServer {
  /** Address of Lectern, with a trailing slash. */
  server: string
  slug: string
  /** Whether the project requires a key. */
  hasKey: boolean
}

/** Visual Studio Code asks for the key once, and stores it. */
const keyInput = {
  id: 'lectern-key',
  type: 'promptString',
  description: 'API key of Lectern',
  password: true,
}

export function listMcpClients({ server, slug, hasKey }: McpServer): McpClient[] {
  const url = new URL(`v2/${encodeURIComponent(slug)}/mcp`, server).href
  const withKey = (variable: string) =>
    hasKey ? { headers: { Authorization: `Bearer \${${variable}}` } } : {}
  return [
    {
      name: 'Claude Code',
      file: '.mcp.json',
      settings: { mcpServers: { [slug]: { type: 'http', url, ...withKey('LECTERN_API_KEY') } } },
    },
    {
      name: 'Cursor',
      file: '.cursor/mcp.json',
      settings: { mcpServers: { [slug]: { url, ...withKey('env:LECTERN_API_KEY') } } },
    },
    {
      name: 'Visual Studio Code',
      file: '.vscode/mcp.json',
      settings: {
        servers: { [slug]: { type: 'http', url, ...withKey('input:lectern-key') } },
        ...(hasKey && { inputs: [keyInput] }),
      },
    },
  ]
}
