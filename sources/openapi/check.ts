// Validates an API description. Lists its faults, each with the path of the field.
import {
  type Description,
  isSwagger,
  listOperations,
  methods,
  type Operation,
  readParameters,
} from './description.ts'
import { isObject, type Json, readField, readList, readText } from './read-file.ts'
import { findReferences } from './references.ts'

export interface Fault {
  /** `paths./pets.get.responses`. Empty for the whole description. */
  path: string
  /** The fault: `is required`. */
  message: string
}

/** Further faults are omitted. */
export const maxFaults = 100

export function checkDescription(description: Description): Fault[] {
  const faults: Fault[] = []
  for (const [path, message] of findFaults(description)) {
    faults.push({ path, message })
    if (faults.length === maxFaults) break
  }
  return faults
}

type Faults = Generator<[path: string, message: string]>

function* findFaults(description: Description): Faults {
  yield* checkHead(description)
  yield* checkPaths(description)
  const ids = new Set<string>()
  for (const operation of listOperations(description)) {
    const { node, place } = operation
    const id = readText(node.value, 'operationId')
    if (id !== '' && ids.has(id)) yield [`${place}.operationId`, 'is the id of another operation']
    ids.add(id)
    yield* checkParameters(description, operation)
    yield* checkResponses(description, operation)
    yield* checkBody(description, operation)
  }
  yield* checkReferences(description)
}

const required = 'is required'

/** `value` must be an object, or absent if it is not required. */
function* checkObject(path: string, value: Json | undefined, isRequired: boolean): Faults {
  if (value === undefined && isRequired) yield [path, required]
  if (value !== undefined && !isObject(value)) yield [path, 'must be an object']
}

/** From version 3.1 on, paths and responses are optional. */
const mayLeaveOut = ({ version }: Description) => !/^(?:2|3\.0)/.test(version)

function* checkHead(description: Description): Faults {
  const { value: root } = description
  const info = readField(root, 'info')
  yield* checkObject('info', info, true)
  for (const name of isObject(info) ? ['title', 'version'] : [])
    if (readText(info, name) === '') yield [`info.${name}`, required]
  const holders = mayLeaveOut(description) ? ['paths', 'webhooks', 'components'] : ['paths']
  if (holders.every((name) => readField(root, name) === undefined))
    yield ['paths', holders.length > 1 ? 'is required, or else webhooks or components' : required]
  for (const name of holders) yield* checkObject(name, readField(root, name), false)
}

/** Fields of a path other than methods. */
const itemFields = ['additionalOperations', 'parameters', 'servers', 'summary', 'description', '$ref']

function* checkPaths({ value: root, file, references }: Description): Faults {
  const paths = readField(root, 'paths')
  for (const [path, value] of isObject(paths) ? Object.entries(paths) : []) {
    if (path.startsWith('x-')) continue
    const place = `paths.${path}`
    if (!path.startsWith('/')) yield [place, 'must begin with a slash']
    const item = references.follow({ value, file })
    if ('fault' in item) continue
    yield* checkObject(place, item.value, true)
    for (const [name, field] of isObject(item.value) ? Object.entries(item.value) : []) {
      if (methods.includes(name)) yield* checkObject(`${place}.${name}`, field, true)
      else if (!name.startsWith('x-') && !itemFields.includes(name))
        yield [`${place}.${name}`, 'is neither a method nor a field of a path']
    }
  }
}

const places = ['query', 'header', 'path', 'cookie', 'querystring']
const swaggerPlaces = ['query', 'header', 'path', 'formData', 'body']

function* checkParameters(description: Description, operation: Operation): Faults {
  const { node, item, place, path, isWebhook } = operation
  const isOld = isSwagger(description)
  const known = isOld ? swaggerPlaces : places
  const typeFields = isOld ? ['type', 'schema'] : ['schema', 'content']
  const holders = [
    [place.slice(0, place.lastIndexOf('.')), item],
    [place, node],
  ] as const
  for (const [holder, { value, file }] of holders) {
    const list = `${holder}.parameters`
    const given = readField(value, 'parameters')
    if (given !== undefined && !Array.isArray(given)) yield [list, 'must be a list']
    const names = new Set<string>()
    for (const [position, entry] of readList(value, 'parameters').entries()) {
      const parameter = description.references.follow({ value: entry, file })
      if ('fault' in parameter) continue
      const at = `${list}[${position}]`
      const [name, where] = [readText(parameter.value, 'name'), readText(parameter.value, 'in')]
      if (name === '') yield [`${at}.name`, required]
      if (!known.includes(where)) yield [`${at}.in`, `must be one of ${known.join(', ')}`]
      if (where === 'path' && readField(parameter.value, 'required') !== true)
        yield [`${at}.required`, 'must be true for a path parameter']
      if (names.has(`${where} ${name}`)) yield [at, `is the second ${where} parameter ${name}`]
      names.add(`${where} ${name}`)
      if (typeFields.every((field) => readField(parameter.value, field) === undefined))
        yield [`${at}.${typeFields[0]}`, required]
    }
  }
  if (isWebhook) return
  const declared = readParameters(description, operation)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => name)
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g))
    if (!declared.includes(name)) yield [`${place}.parameters`, `must have the path parameter ${name}`]
}

function* checkResponses(description: Description, { node, place }: Operation): Faults {
  const responses = readField(node.value, 'responses')
  const path = `${place}.responses`
  yield* checkObject(path, responses, !mayLeaveOut(description))
  for (const [status, value] of isObject(responses) ? Object.entries(responses) : []) {
    if (status.startsWith('x-')) continue
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/.test(status))
      yield [`${path}.${status}`, 'must be a status such as 200 or 4XX, or default']
    const response = description.references.follow({ value, file: node.file })
    if ('fault' in response || description.version.startsWith('3.2')) continue
    if (typeof readField(response.value, 'description') !== 'string')
      yield [`${path}.${status}.description`, required]
  }
}

function* checkBody(description: Description, { node, place }: Operation): Faults {
  const value = readField(node.value, 'requestBody')
  if (value === undefined) return
  const path = `${place}.requestBody`
  if (isSwagger(description)) yield [path, 'is a field of OpenAPI 3']
  const body = description.references.follow({ value, file: node.file })
  if (!('fault' in body) && !isObject(readField(body.value, 'content'))) yield [`${path}.content`, required]
}

function* checkReferences({ value: root, file, references }: Description): Faults {
  for (const { reference, place } of findReferences(root)) {
    const target = references.follow({ value: { $ref: reference }, file })
    if ('fault' in target) yield [place(), target.fault]
  }
}
