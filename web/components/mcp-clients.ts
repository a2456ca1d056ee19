// Settings with which programs of agents read a project over MCP, as manual/agents.md has them.

export interface McpClient {
  name: string
  /** Below the folder of the reader's work. */
  file: string
  settings: object
}

export interface McpServer {
  /** Address of Lectern, ending in a slash. */
  server: string
  slug: string
  /** Whether the project asks for a key. */
  hasKey: boolean
}

/** Visual Studio Code asks for the key once, and keeps it. */
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
