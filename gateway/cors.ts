// Which other sites may call (decisions.md section 7): all of them, for keys are sent by hand, never by the browser.

/** On every answer, errors too. */
export const corsHeaders: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, allow',
}

/** On the answer to a preflight; `methods` of the address, or null for an unknown one: the request itself tells. */
export function preflightHeaders(methods: string[] | null): Record<string, string> {
  const allow = (methods ?? ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']).join(', ')
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'authorization, content-type, x-chat-restore-token, x-lectern-team',
    'access-control-max-age': '86400',
    ...(methods && { allow }),
  }
}
