// What browsers are told beside the answer: which other sites may read it, and that it is not to be kept. All sites may
// call the API, for keys are sent by hand, never by the browser; what operators and readers open belongs to this site.
import { isMcpPath } from './mcp/mcp.ts'

const everywhere = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const ofApi = {
  ...everywhere,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, allow',
}
const ofThisSite = { ...everywhere, 'cross-origin-resource-policy': 'same-origin' }

/** On every answer at the path, errors too, where it has none of its own. */
export function defaultHeaders(path: string): Record<string, string> {
  return path.startsWith('/api/') || isMcpPath(path) ? ofApi : ofThisSite
}

const apiHeaders = 'authorization, content-type, x-chat-restore-token, x-lectern-team'
const mcpHeaders =
  'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, x-mcp-client-name, x-mcp-client-version'

/** On the answer to a preflight; `methods` of the address, or null for an unknown one: the request itself tells. */
export function preflightHeaders(path: string, methods: string[] | null): Record<string, string> {
  const allow = (methods ?? ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']).join(', ')
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': isMcpPath(path) ? mcpHeaders : apiHeaders,
    'access-control-max-age': '86400',
    ...(methods && { allow }),
  }
}
