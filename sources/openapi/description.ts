// Reads operations and schemas of an API description, in the same form for OpenAPI 3 and Swagger 2.
import {
  isObject,
  type Json,
  type JsonObject,
  readEntries,
  readField,
  readList,
  readText,
  readTexts,
  UnreadableFile,
} from './read-file.ts'
import type { Node, References, Target } from './references.ts'

export interface Description extends Node {
  /** Version of the specification: `2.0`, `3.1.0`. */
  version: string
  value: JsonObject
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

export interface Parameter {
  name: string
  /** `query`, `path`, `header`, `cookie`. */
  in: string
  isRequired: boolean
  isDeprecated: boolean
  description: string
  schema: Node
}

/** A body in one media type. */
export interface Media {
  type: string
  schema: Node | null
  /** Names and values. A name may be empty. */
  examples: [string, Json][]
}

export interface Body {
  isRequired: boolean
  description: string
  media: Media[]
}

export interface Response {
  /** `200`, `4XX`, `default`. */
  status: string
  description: string
  media: Media[]
  headers: [string, Node][]
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Fields that identify other kinds of documents. */
const others: [field: string, name: string][] = [
  ['asyncapi', 'an AsyncAPI document'],
  ['arazzo', 'an Arazzo description'],
  ['overlay', 'an overlay for a description'],
  ['swaggerVersion', 'a description of Swagger 1'],
  ['discoveryVersion', 'a Google API discovery document'],
  ['apiVersion', 'a Kubernetes manifest'],
  ['$schema', 'a JSON schema'],
]

/** Throws UnreadableFile for other kinds of documents. The message names the kind. */
export function readVersion(root: JsonObject): string {
  const known = { swagger: readField(root, 'swagger'), openapi: readField(root, 'openapi') }
  const version = String(known.openapi ?? (known.swagger === 2 ? '2.0' : (known.swagger ?? '')))
  if (known.openapi !== undefined ? /^3\.\d+(\.\d+)?/.test(version) : version === '2.0') {
    return version.slice(0, 20)
  }
  const takes = 'OpenAPI 3 and Swagger 2.0 can be read.'
  if (version !== '') throw new UnreadableFile(`It follows version ${version.slice(0, 20)}: ${takes}`)
  const other = others.find(([field]) => readField(root, field) !== undefined)?.[1]
  if (other) throw new UnreadableFile(`It is ${other}: ${takes}`)
  throw new UnreadableFile(`It has neither the field openapi nor swagger: ${takes}`)
}

export function isSwagger({ version }: Description): boolean {
  return version === '2.0'
}

/** The value of a field, with references followed. Null if the field is missing or its reference is broken. */
function readNode({ references }: Description, { value, file }: Node, name: string): Target | null {
  const field = readField(value, name)
  const target = field === undefined ? null : references.follow({ value: field, file })
  return target === null || 'fault' in target ? null : target
}

/** The same for each field of an object. */
function readNodes({ references }: Description, { value, file }: Node, name: string): [string, Target][] {
  return readEntries(value, name).flatMap(([key, value]): [string, Target][] => {
    const target = references.follow({ value, file })
    return 'fault' in target ? [] : [[key, target]]
  })
}

/** Yields operations in the order of the description. */
export function* listOperations(description: Description): Generator<Operation> {
  for (const field of ['paths', 'webhooks']) {
    for (const [path, item] of readNodes(description, description, field)) {
      if (path.startsWith('x-')) continue
      for (const method of methods) {
        const value = readField(item.value, method)
        if (!isObject(value)) continue
        const place = `${field}.${path}.${method}`
        const node = { value, file: item.file }
        yield { method: method.toUpperCase(), path, isWebhook: field === 'webhooks', place, node, item }
      }
    }
  }
}

/** Names and nodes of the schemas that become documents. */
export function listSchemas(description: Description): [string, Node][] {
  const { value: root, file } = description
  const schemas = isSwagger(description)
    ? readEntries(root, 'definitions')
    : readEntries(readField(root, 'components'), 'schemas')
  return schemas.map(([name, value]) => [name, { value, file }])
}

/** Parameters of the path and the operation, which overrides the path. Omits bodies, which are parameters in Swagger 2. */
export function readParameters(description: Description, operation: Operation): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const { value, file } of listParameters(description, operation)) {
    const place = readText(value, 'in')
    const name = readText(value, 'name')
    if (place === 'body' || place === 'formData' || name === '') continue
    // In Swagger 2 the parameter has the schema's fields. In OpenAPI 3, a media type may contain the schema.
    const [, media] = readEntries(value, 'content')[0] ?? []
    const schema = readField(value, 'schema') ?? readField(media, 'schema') ?? withoutTexts(value)
    found.set(`${place} ${name}`, {
      ...{ name, in: place },
      isRequired: place === 'path' || isRequired(value),
      isDeprecated: readField(value, 'deprecated') === true,
      description: readText(value, 'description'),
      schema: { value: schema, file },
    })
  }
  return [...found.values()]
}

function listParameters({ references }: Description, { item, node }: Operation): Target[] {
  return [item, node].flatMap(({ value, file }) =>
    readList(value, 'parameters').flatMap((parameter) => {
      const target = references.follow({ value: parameter, file })
      return 'fault' in target ? [] : target
    }),
  )
}

const isRequired = (value: Json) => readField(value, 'required') === true

/** The schema fields of a parameter. */
function withoutTexts(value: Json): Json {
  if (!isObject(value)) return true
  const { description: _, required: __, name: ___, in: ____, ...schema } = value
  return schema
}

export function readBody(description: Description, operation: Operation): Body | null {
  if (isSwagger(description)) return readSwaggerBody(description, operation)
  const body = readNode(description, operation.node, 'requestBody')
  return body === null ? null : toBody(body.value, readMedia(description, body))
}

const toBody = (value: Json, media: Media[]): Body => ({
  isRequired: isRequired(value),
  description: readText(value, 'description'),
  media,
})

function readSwaggerBody(description: Description, operation: Operation): Body | null {
  const parameters = listParameters(description, operation)
  const listIn = (place: string) => parameters.filter(({ value }) => readText(value, 'in') === place)
  const [body] = listIn('body')
  const form = listIn('formData')
  const toMedia = (defaultType: string, value: Json, file: string): Media[] => {
    const type = readSwaggerType(description, operation, 'consumes') ?? defaultType
    return [{ type, schema: { value, file }, examples: [] }]
  }
  if (body) {
    const schema = readField(body.value, 'schema') ?? true
    return toBody(body.value, toMedia('application/json', schema, body.file))
  }
  if (form.length === 0) return null
  const required = form.filter(({ value }) => isRequired(value)).map(({ value }) => readText(value, 'name'))
  const properties = Object.fromEntries(
    form.map(({ value }) => [readText(value, 'name'), { ...(value as JsonObject), required: [] }]),
  )
  const schema = { type: 'object', required, properties }
  const media = toMedia('application/x-www-form-urlencoded', schema, operation.node.file)
  return toBody({ required: required.length > 0 }, media)
}

/** The first media type of the operation, else of the whole description. */
function readSwaggerType({ value }: Description, { node }: Operation, field: string): string | undefined {
  return readTexts(node.value, field)[0] ?? readTexts(value, field)[0]
}

export function readResponses(description: Description, operation: Operation): Response[] {
  const responses = readNodes(description, operation.node, 'responses')
  return responses
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, response]) => ({
      status,
      description: readText(response.value, 'description'),
      media: isSwagger(description)
        ? readSwaggerMedia(description, operation, response)
        : readMedia(description, response),
      headers: readNodes(description, response, 'headers'),
    }))
}

function readMedia(description: Description, { value, file }: Node): Media[] {
  return readEntries(value, 'content').map(([type, media]) => {
    const example = readField(media, 'example')
    const examples = readEntries(media, 'examples').flatMap(([name, given]): [string, Json][] => {
      const found = description.references.follow({ value: given, file })
      const value = 'fault' in found ? undefined : readField(found.value, 'value')
      return value === undefined ? [] : [[readText(given, 'summary') || name, value]]
    })
    return {
      ...{ type, schema: readSchema(media, file) },
      examples: example === undefined ? examples : [['', example], ...examples],
    }
  })
}

function readSwaggerMedia(description: Description, operation: Operation, { value, file }: Node): Media[] {
  const schema = readSchema(value, file)
  const examples = readEntries(value, 'examples').map(([, example]): [string, Json] => ['', example])
  if (schema === null && examples.length === 0) return []
  const type = readSwaggerType(description, operation, 'produces') ?? 'application/json'
  return [{ type, schema, examples }]
}

function readSchema(holder: Json, file: string): Node | null {
  const value = readField(holder, 'schema')
  return value === undefined ? null : { value, file }
}

/** Absolute server addresses of the operation. */
export function readServers(description: Description, operation: Operation | null): string[] {
  const { value: root, file } = description
  if (isSwagger(description)) {
    const host = readText(root, 'host')
    if (host === '') return []
    const [scheme = 'https'] = readTexts(root, 'schemes')
    return [`${scheme}://${host}${readText(root, 'basePath').replace(/\/$/, '')}`]
  }
  const holders = [operation?.node.value, operation?.item.value, root]
  const servers = holders.map((holder) => readList(holder, 'servers')).find(({ length }) => length > 0) ?? []
  return servers.slice(0, 10).flatMap((server) => {
    let url = readText(server, 'url')
    for (const [name, variable] of readEntries(server, 'variables').slice(0, 20))
      url = url.replaceAll(`{${name}}`, readText(variable, 'default') || `{${name}}`)
    const address = URL.parse(url, file || undefined)
    return address === null ? [] : [address.href.replace(/\/$/, '')]
  })
}
