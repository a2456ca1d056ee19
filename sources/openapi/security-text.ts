// What a caller must show, as an API description says it: keys, passwords, tokens.
import type { Description } from './description.ts'
import { entriesOf, fieldOf, isObject, type Json, listOf, textOf } from './json-value.ts'
import { toLine, toSentence } from './schema-text.ts'

/** Alternatives of one operation that are told. */
const maxWays = 20

function schemesOf({ root, version }: Description): [string, Json][] {
  return version === '2.0'
    ? entriesOf(root, 'securityDefinitions')
    : entriesOf(fieldOf(root, 'components'), 'securitySchemes')
}

/** A line a scheme. */
export function securityLines(description: Description): string[] {
  return schemesOf(description).map(([name, scheme]) =>
    toLine(name, schemeSentence(scheme), textOf(scheme, 'description')),
  )
}

function schemeSentence(scheme: Json): string {
  const type = textOf(scheme, 'type')
  if (type === 'apiKey') return `API key in the ${textOf(scheme, 'in')} ${textOf(scheme, 'name')}`
  if (type === 'http') return `HTTP authentication, ${textOf(scheme, 'scheme')}`
  if (type === 'oauth2') return 'OAuth 2.0'
  if (type === 'openIdConnect') return 'OpenID Connect'
  return type === 'basic' ? 'HTTP authentication, basic' : type
}

/** What an operation wants of its caller: its own requirements, or else those of the whole description. */
export function securitySentence(description: Description, operation: Json): string {
  const own = fieldOf(operation, 'security')
  const requirements = Array.isArray(own) ? own : listOf(description.root, 'security')
  const ways = requirements
    .slice(0, maxWays)
    .filter(isObject)
    .map((requirement) =>
      Object.entries(requirement)
        .map(([name, scopes]) => {
          const named = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : []
          return named.length > 0 ? `${name} (${named.join(', ')})` : name
        })
        .join(' and '),
    )
  if (ways.length === 0) return ''
  const said = ways.map((way) => way || 'nothing')
  return toSentence(`Authentication: ${said.join(', or ')}`)
}
