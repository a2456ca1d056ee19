// The operations and schemas of an API description, in one form for OpenAPI 3 and Swagger 2.
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
import type { Node, References } from './references.ts'

export interface Description {
  /** Of the specification that it follows: `2.0`, `3.1.0`. */
  version: string
  root: JsonObject
  /** Its address; empty where it has none. */
  file: string
  references: References
}

export interface Operation {
  /** Upper case. */
  method: string
  /** `/pets/{id}`, or the name of a webhook. */
  path: string
  isWebhook: boolean
  /** Fields that lead to it: `paths./pets.get`. */
  place: string
  node: Node
  /** Fields for all operations of the path. */
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

/** A body in one of its types. */
export interface Media {
  type: string
  schema: Node | null
  /** Names, which may be empty, and values. */
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

/** Fields that identify other documents, and their names. */
const others: [field: string, name: string][] = [
  ['asyncapi', 'an AsyncAPI document'],
  ['arazzo', 'an Arazzo description'],
  ['overlay', 'an overlay for a description'],
  ['swaggerVersion', 'a description of Swagger 1'],
  ['discoveryVersion', 'a Google API discovery document'],
  ['apiVersion', 'a Kubernetes manifest'],
  ['$schema', 'a JSON schema'],
]

/** Throws UnreadableFile for another document, with its name. */
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

/** In the order of the description. */
export function* listOperations(description: Description): Generator<Operation> {
  for (const [field, isWebhook] of [
    ['paths', false],
    ['webhooks', true],
  ] as const) {
    for (const [path, value] of readEntries(description.root, field)) {
      if (path.startsWith('x-')) continue
      const item = description.references.follow({ value, file: description.file })
      if ('fault' in item) continue
      for (const method of methods) {
        const value = readField(item.value, method)
        if (!isObject(value)) continue
        const place = `${field}.${path}.${method}`
        const node = { value, file: item.file }
        yield { ...{ method: method.toUpperCase(), path, isWebhook, place, node }, item }
      }
    }
  }
}

/** Names and nodes of the schemas that have a document of their own. */
export function listSchemas(description: Description): [string, Node][] {
  const { root, file } = description
  const holder = isSwagger(description) ? root : readField(root, 'components')
  return readEntries(holder, isSwagger(description) ? 'definitions' : 'schemas').map(([name, value]) => [
    name,
    { value, file },
  ])
}

/** Parameters of the path and of the operation, which wins; without bodies, which Swagger 2 lists among them. */
export function readParameters(description: Description, operation: Operation): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const { value, file } of listedParameters(description, operation)) {
    const place = readText(value, 'in')
    const name = readText(value, 'name')
    if (place === 'body' || place === 'formData' || name === '') continue
    // Swagger 2 puts the schema's fields into the parameter; OpenAPI 3 may wrap the schema in a media type.
    const [, media] = readEntries(value, 'content')[0] ?? []
    const schema = readField(value, 'schema') ?? readField(media, 'schema') ?? withoutTexts(value)
    found.set(`${place} ${name}`, {
      ...{ name, in: place },
      isRequired: place === 'path' || readField(value, 'required') === true,
      isDeprecated: readField(value, 'deprecated') === true,
      description: readText(value, 'description'),
      schema: { value: schema, file },
    })
  }
  return [...found.values()]
}

function* listedParameters(description: Description, { item, node }: Operation): Generator<Node> {
  for (const holder of [item, node]) {
    for (const value of readList(holder.value, 'parameters')) {
      const parameter = description.references.follow({ value, file: holder.file })
      if (!('fault' in parameter)) yield parameter
    }
  }
}

export function readBody(description: Description, operation: Operation): Body | null {
  const { node } = operation
  if (isSwagger(description)) return readSwaggerBody(description, operation)
  const value = readField(node.value, 'requestBody')
  if (value === undefined) return null
  const body = description.references.follow({ value, file: node.file })
  if ('fault' in body) return null
  return {
    isRequired: readField(body.value, 'required') === true,
    description: readText(body.value, 'description'),
    media: readMedia(description, body),
  }
}

function readSwaggerBody(description: Description, operation: Operation): Body | null {
  const { node } = operation
  const given = [...listedParameters(description, operation)]
  const types = readTexts(node.value, 'consumes')
  const consumes = types.length > 0 ? types : readTexts(description.root, 'consumes')
  const body = given.find(({ value }) => readText(value, 'in') === 'body')
  if (body) {
    const schema = { value: readField(body.value, 'schema') ?? true, file: body.file }
    return {
      isRequired: readField(body.value, 'required') === true,
      description: readText(body.value, 'description'),
      media: [{ type: consumes[0] ?? 'application/json', schema, examples: [] }],
    }
  }
  const form = given.filter(({ value }) => readText(value, 'in') === 'formData')
  if (form.length === 0) return null
  const isRequired = ({ value }: Node) => readField(value, 'required') === true
  const name = ({ value }: Node) => readText(value, 'name')
  const schema = {
    type: 'object',
    required: form.filter(isRequired).map(name),
    properties: Object.fromEntries(
      form.map(({ value }) => [readText(value, 'name'), { ...(value as JsonObject), required: [] }]),
    ),
  }
  return {
    isRequired: form.some(isRequired),
    description: '',
    media: [
      {
        type: consumes[0] ?? 'application/x-www-form-urlencoded',
        schema: { value: schema, file: node.file },
        examples: [],
      },
    ],
  }
}

export function readResponses(description: Description, { node }: Operation): Response[] {
  return readEntries(node.value, 'responses').flatMap(([status, value]) => {
    if (status.startsWith('x-')) return []
    const response = description.references.follow({ value, file: node.file })
    if ('fault' in response) return []
    const { file } = response
    return {
      status,
      description: readText(response.value, 'description'),
      media: isSwagger(description)
        ? readSwaggerMedia(description, node, response)
        : readMedia(description, response),
      headers: readEntries(response.value, 'headers').flatMap(([name, value]): [string, Node][] => {
        const header = description.references.follow({ value, file })
        return 'fault' in header ? [] : [[name, header]]
      }),
    }
  })
}

function readMedia({ references }: Description, { value, file }: Node): Media[] {
  return readEntries(value, 'content').map(([type, media]) => {
    const schema = readField(media, 'schema')
    const example = readField(media, 'example')
    const examples = readEntries(media, 'examples').flatMap(([name, given]): [string, Json][] => {
      const found = references.follow({ value: given, file })
      const shown = 'fault' in found ? undefined : readField(found.value, 'value')
      return shown === undefined ? [] : [[readText(given, 'summary') || name, shown]]
    })
    return {
      type,
      schema: schema === undefined ? null : { value: schema, file },
      examples: example === undefined ? examples : [['', example], ...examples],
    }
  })
}

function readSwaggerMedia({ root }: Description, operation: Node, { value, file }: Node): Media[] {
  const schema = readField(value, 'schema')
  const examples = readEntries(value, 'examples')
  if (schema === undefined && examples.length === 0) return []
  const types = readTexts(operation.value, 'produces')
  const [type = 'application/json'] = types.length > 0 ? types : readTexts(root, 'produces')
  const ofType = examples.map(([, example]): [string, Json] => ['', example])
  return [{ type, schema: schema === undefined ? null : { value: schema, file }, examples: ofType }]
}

/** Server addresses of the operation, without those that have no host. */
export function readServers(description: Description, operation: Operation | null): string[] {
  const { root } = description
  if (isSwagger(description)) {
    const host = readText(root, 'host')
    if (host === '') return []
    const [scheme = 'https'] = readTexts(root, 'schemes')
    return [`${scheme}://${host}${readText(root, 'basePath').replace(/\/$/, '')}`]
  }
  const holders = [operation?.node.value, operation?.item.value, root]
  const servers =
    holders.map((holder) => readList(holder, 'servers')).find((servers) => servers.length > 0) ?? []
  return servers.slice(0, 10).flatMap((server) => {
    let url = readText(server, 'url')
    for (const [name, variable] of readEntries(server, 'variables').slice(0, 20))
      url = url.replaceAll(`{${name}}`, readText(variable, 'default') || `{${name}}`)
    const address = URL.parse(url, description.file || undefined)
    return address === null ? [] : [address.href.replace(/\/$/, '')]
  })
}

/** The parameter is none of a schema's fields. */
function withoutTexts(value: Json): Json {
  if (!isObject(value)) return true
  const { description: _, required: __, name: ___, in: ____, ...schema } = value
  return schema
}
