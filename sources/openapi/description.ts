// Reads operations and schemas of an API description, in the same form for OpenAPI 3 and Swagger 2.
import { UnreadableSource } from '../source-type.ts'
import { isObject, type Json, type JsonObject, readEntries, readField, readText } from './read-file.ts'
import type { Node, References } from './references.ts'

export interface Description {
  /** Version of the specification: `2.0`, `3.1.0`. */
  version: string
  root: Node
  /** Address of its file. Empty for a description without an address. */
  file: string
  references: References
}

export interface Operation {
  /** Upper case. */
  method: string
  /** `/pets/{id}`, or the name of a webhook. */
  path: string
  isWebhook: boolean
  /** Path of its field: `paths./pets.get`. */
  place: string
  node: Node
  /** The path item, whose fields apply to all its operations. */
  item: Node
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Throws UnreadableSource for other versions, and for other kinds of documents. */
export function readVersion(root: JsonObject): string {
  const known = { swagger: readField(root, 'swagger'), openapi: readField(root, 'openapi') }
  const version = String(known.openapi ?? (known.swagger === 2 ? '2.0' : (known.swagger ?? '')))
  if (known.openapi !== undefined ? /^3\.\d+(\.\d+)?/.test(version) : version === '2.0') {
    return version.slice(0, 20)
  }
  const takes = 'OpenAPI 3 and Swagger 2.0 can be read.'
  if (version !== '') throw new UnreadableSource(`It follows version ${version.slice(0, 20)}: ${takes}`)
  throw new UnreadableSource(`It has neither the field openapi nor swagger: ${takes}`)
}

export function isSwagger({ version }: Description): boolean {
  return version === '2.0'
}

/** Yields operations in the order of the description. */
export function* listOperations({ root }: Description): Generator<Operation> {
  for (const field of ['paths', 'webhooks']) {
    for (const [path, item] of root.entries(field)) {
      if (path.startsWith('x-')) continue
      for (const method of methods) {
        const node = item.field(method)
        if (!isObject(node.value)) continue
        const place = `${field}.${path}.${method}`
        yield { method: method.toUpperCase(), path, isWebhook: field === 'webhooks', place, node, item }
      }
    }
  }
}

/** Names and nodes of the schemas that become documents. */
export function listSchemas(description: Description): [string, Node][] {
  const { root } = description
  return isSwagger(description) ? root.entries('definitions') : root.field('components').entries('schemas')
}

/** Parameters of the path and the operation, which overrides the path. In Swagger 2, bodies are among them. */
export function listParameters({ item, node }: Operation): Node[] {
  const listed = [...item.list('parameters'), ...node.list('parameters')]
  const named = listed.filter((parameter) => parameter.text('name') !== '')
  return [...new Map(named.map((each) => [`${each.text('in')} ${each.text('name')}`, each])).values()]
}

/** In Swagger 2, the parameter has the schema's fields. In OpenAPI 3, a media type may contain the schema. */
export function readParameterSchema(parameter: Node): Node {
  const [, media = parameter] = parameter.entries('content')[0] ?? []
  const schema = [parameter, media].map((holder) => holder.field('schema')).find(({ exists }) => exists)
  return schema ?? parameter
}

/** Media types with the node that has the schema and the examples of each. */
type Media = [type: string, holder: Node][]

export function readBody(
  description: Description,
  operation: Operation,
): { body: Node; media: Media } | null {
  if (!isSwagger(description)) {
    const body = operation.node.field('requestBody')
    return body.value === undefined ? null : { body, media: body.entries('content') }
  }
  const parameters = listParameters(operation)
  const [body] = parameters.filter((parameter) => parameter.text('in') === 'body')
  if (body) return { body, media: [[readMediaType(description, operation, 'consumes'), body]] }
  const fields = parameters.filter((parameter) => parameter.text('in') === 'formData')
  if (fields.length === 0) return null
  const required = fields.filter((field) => field.is('required')).map((field) => field.text('name'))
  const properties = Object.fromEntries(
    fields.map((field) => [field.text('name'), { ...(field.value as JsonObject), required: [] }]),
  )
  const schema = { type: 'object', required, properties }
  const form = description.references.toNode({ required: required.length > 0, schema }, description.file)
  const type = readMediaType(description, operation, 'consumes', 'application/x-www-form-urlencoded')
  return { body: form, media: [[type, form]] }
}

/** In Swagger 2: the first media type of the operation, else of the whole description. */
function readMediaType(
  { root }: Description,
  { node }: Operation,
  field: string,
  other = 'application/json',
) {
  return node.texts(field)[0] ?? root.texts(field)[0] ?? other
}

export function readMedia(description: Description, operation: Operation, response: Node): Media {
  if (!isSwagger(description)) return response.entries('content')
  const hasContent = response.field('schema').exists || readEntries(response.value, 'examples').length > 0
  return hasContent ? [[readMediaType(description, operation, 'produces'), response]] : []
}

/** Names and values of examples. A name may be empty. */
export function readExamples(description: Description, holder: Node): [string, Json][] {
  if (isSwagger(description)) return readEntries(holder.value, 'examples').map(([, value]) => ['', value])
  const named = holder
    .entries('examples')
    .map(([name, example]) => [example.text('summary') || name, readField(example.value, 'value')] as const)
  return [['', readField(holder.value, 'example')] as const, ...named].filter(hasValue)
}

const hasValue = (example: readonly [string, Json | undefined]): example is [string, Json] =>
  example[1] !== undefined

/** Absolute server addresses of the operation. */
export function readServers(description: Description, operation: Operation | null): string[] {
  const { root, file } = description
  if (isSwagger(description)) {
    const host = root.text('host')
    if (host === '') return []
    const [scheme = 'https'] = root.texts('schemes')
    return [`${scheme}://${host}${root.text('basePath').replace(/\/$/, '')}`]
  }
  const holders = [...(operation ? [operation.node, operation.item] : []), root]
  const servers = holders.map((holder) => holder.list('servers', 10)).find(({ length }) => length > 0) ?? []
  return servers.flatMap((server) => {
    let url = server.text('url')
    for (const [name, variable] of readEntries(server.value, 'variables').slice(0, 20))
      url = url.replaceAll(`{${name}}`, readText(variable, 'default') || `{${name}}`)
    const address = URL.parse(url, file || undefined)
    return address === null ? [] : [address.href.replace(/\/$/, '')]
  })
}
