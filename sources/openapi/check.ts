// What is wrong with a description, each fault with the path of its field.
import {
  type Description,
  isSwagger,
  listOperations,
  methods,
  type Operation,
  readParameters,
} from './description.ts'
import { isObject, type Json, readField, readList, readText } from './read-file.ts'
import { findReferences, type Node } from './references.ts'

export interface Fault {
  /** `paths./pets.get.responses`; empty for the whole of it. */
  path: string
  /** What is wrong there: `is required`. */
  message: string
}

/** The others are left out. */
export const maxFaults = 100

export function checkDescription(description: Description): Fault[] {
  const faults: Fault[] = []
  for (const fault of findFaults(description)) {
    faults.push(fault)
    if (faults.length === maxFaults) break
  }
  return faults
}

function* findFaults(description: Description): Generator<Fault> {
  yield* checkHead(description)
  yield* checkPaths(description)
  yield* checkOperations(description)
  yield* checkReferences(description)
}

const required = 'is required'
const notObject = 'must be an object'

function* checkHead({ root, version }: Description): Generator<Fault> {
  const info = readField(root, 'info')
  if (!isObject(info)) yield { path: 'info', message: info === undefined ? required : notObject }
  else {
    if (readText(info, 'title') === '') yield { path: 'info.title', message: required }
    if (readText(info, 'version') === '') yield { path: 'info.version', message: required }
  }
  const mayLackPaths = !/^(?:2|3\.0)/.test(version)
  const holders = mayLackPaths ? ['paths', 'webhooks', 'components'] : ['paths']
  if (holders.every((name) => readField(root, name) === undefined)) {
    yield { path: 'paths', message: mayLackPaths ? 'is required, or else webhooks or components' : required }
  }
  for (const name of holders) {
    const holder = readField(root, name)
    if (holder !== undefined && !isObject(holder)) yield { path: name, message: notObject }
  }
}

/** Fields of a path beside the methods. */
const itemFields = ['additionalOperations', 'parameters', 'servers', 'summary', 'description', '$ref']

function* checkPaths({ root, file, references }: Description): Generator<Fault> {
  const paths = readField(root, 'paths')
  for (const [path, value] of isObject(paths) ? Object.entries(paths) : []) {
    if (path.startsWith('x-')) continue
    const place = `paths.${path}`
    if (!path.startsWith('/')) yield { path: place, message: 'must begin with a slash' }
    const item = references.follow({ value, file })
    if ('fault' in item) continue
    if (!isObject(item.value)) {
      yield { path: place, message: notObject }
      continue
    }
    for (const [name, field] of Object.entries(item.value)) {
      if (name.startsWith('x-')) continue
      if (!methods.includes(name) && !itemFields.includes(name))
        yield { path: `${place}.${name}`, message: 'is neither a method nor a field of a path' }
      else if (methods.includes(name) && !isObject(field))
        yield { path: `${place}.${name}`, message: notObject }
    }
  }
}

function* checkOperations(description: Description): Generator<Fault> {
  const ids = new Set<string>()
  for (const operation of listOperations(description)) {
    const { node, place } = operation
    const id = readText(node.value, 'operationId')
    if (id !== '' && ids.has(id))
      yield { path: `${place}.operationId`, message: 'is the id of another operation' }
    ids.add(id)
    yield* checkParameters(description, operation)
    yield* checkResponses(description, operation)
    yield* checkBody(description, operation)
  }
}

const places = ['query', 'header', 'path', 'cookie', 'querystring']
const swaggerPlaces = ['query', 'header', 'path', 'formData', 'body']

function* checkParameters(description: Description, operation: Operation): Generator<Fault> {
  const { node, item, place, path, isWebhook } = operation
  const isOld = isSwagger(description)
  const known = isOld ? swaggerPlaces : places
  const listed: [path: string, Node][] = [
    [place.slice(0, place.lastIndexOf('.')), item],
    [place, node],
  ]
  for (const [holder, { value, file }] of listed) {
    const given = readField(value, 'parameters')
    if (given !== undefined && !Array.isArray(given))
      yield { path: `${holder}.parameters`, message: 'must be a list' }
    const names = new Set<string>()
    for (const [at, value_] of readList(value, 'parameters').entries()) {
      const parameter = description.references.follow({ value: value_, file })
      if ('fault' in parameter) continue
      const at_ = `${holder}.parameters[${at}]`
      const [name, where] = [readText(parameter.value, 'name'), readText(parameter.value, 'in')]
      if (name === '') yield { path: `${at_}.name`, message: required }
      if (!known.includes(where)) yield { path: `${at_}.in`, message: `must be one of ${known.join(', ')}` }
      if (where === 'path' && readField(parameter.value, 'required') !== true)
        yield { path: `${at_}.required`, message: 'must be true for a path parameter' }
      if (names.has(`${where} ${name}`))
        yield { path: at_, message: `is the second ${where} parameter ${name}` }
      names.add(`${where} ${name}`)
      const isTyped = (isOld ? ['type', 'schema'] : ['schema', 'content']).some(
        (name) => readField(parameter.value, name) !== undefined,
      )
      if (!isTyped) yield { path: `${at_}.${isOld ? 'type' : 'schema'}`, message: required }
    }
  }
  if (isWebhook) return
  const declared = readParameters(description, operation)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => name)
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (!declared.includes(name))
      yield { path: `${place}.parameters`, message: `must have the path parameter ${name}` }
  }
}

function* checkResponses({ version, references }: Description, { node, place }: Operation): Generator<Fault> {
  const responses = readField(node.value, 'responses')
  const path = `${place}.responses`
  const mayBeLeftOut = !/^(?:2|3\.0)/.test(version)
  if (responses === undefined && mayBeLeftOut) return
  if (!isObject(responses)) {
    yield { path, message: responses === undefined ? required : notObject }
    return
  }
  for (const [status, value] of Object.entries(responses)) {
    if (status.startsWith('x-')) continue
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/.test(status))
      yield { path: `${path}.${status}`, message: 'must be a status such as 200 or 4XX, or default' }
    const response = references.follow({ value, file: node.file })
    if ('fault' in response) continue
    const hasDescription = typeof readField(response.value, 'description') === 'string'
    if (!hasDescription && !version.startsWith('3.2'))
      yield { path: `${path}.${status}.description`, message: required }
  }
}

function* checkBody({ references, version }: Description, { node, place }: Operation): Generator<Fault> {
  const value: Json | undefined = readField(node.value, 'requestBody')
  if (value === undefined) return
  const path = `${place}.requestBody`
  if (version === '2.0') yield { path, message: 'is a field of OpenAPI 3' }
  const body = references.follow({ value, file: node.file })
  if (!('fault' in body) && !isObject(readField(body.value, 'content')))
    yield { path: `${path}.content`, message: required }
}

function* checkReferences({ root, file, references }: Description): Generator<Fault> {
  for (const { reference, place } of findReferences(root)) {
    const target = references.follow({ value: { $ref: reference }, file })
    if ('fault' in target) yield { path: place(), message: target.fault }
  }
}
