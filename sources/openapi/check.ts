// Validates an API description. Lists its faults, each with the path of the field.
import {
  type Description,
  isSwagger,
  listOperations,
  listParameters,
  methods,
  type Operation,
} from './description.ts'
import { isObject, type JsonObject, readField } from './read-file.ts'
import { findReferences, type Node } from './references.ts'

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
    const id = node.text('operationId')
    if (id !== '' && ids.has(id)) yield [`${place}.operationId`, 'is the id of another operation']
    ids.add(id)
    yield* checkParameters(description, operation)
    yield* checkResponses(description, operation)
    yield* checkBody(description, operation)
  }
  for (const { reference, place } of findReferences(description.root.value as JsonObject)) {
    const { fault } = description.references.toNode({ $ref: reference }, description.file)
    if (fault !== null) yield [place, fault]
  }
}

const required = 'is required'

/** It must be an object, or absent if it is not required. A broken reference is another fault. */
function* checkObject(path: string, node: Node, isRequired: boolean): Faults {
  if (!node.exists && isRequired) yield [path, required]
  if (node.value !== undefined && !isObject(node.value)) yield [path, 'must be an object']
}

/** From version 3.1 on, paths and responses are optional. */
const mayLeaveOut = ({ version }: Description) => !/^(?:2|3\.0)/.test(version)

function* checkHead(description: Description): Faults {
  const { root } = description
  const info = root.field('info')
  yield* checkObject('info', info, true)
  for (const name of isObject(info.value) ? ['title', 'version'] : [])
    if (info.text(name) === '') yield [`info.${name}`, required]
  const holders = mayLeaveOut(description) ? ['paths', 'webhooks', 'components'] : ['paths']
  if (holders.every((name) => !root.field(name).exists))
    yield ['paths', holders.length > 1 ? 'is required, or else webhooks or components' : required]
  for (const name of holders) yield* checkObject(name, root.field(name), false)
}

/** Fields of a path other than methods. */
const itemFields = ['additionalOperations', 'parameters', 'servers', 'summary', 'description', '$ref']

function* checkPaths({ root }: Description): Faults {
  for (const [path, item] of root.entries('paths')) {
    if (path.startsWith('x-')) continue
    const place = `paths.${path}`
    if (!path.startsWith('/')) yield [place, 'must begin with a slash']
    yield* checkObject(place, item, true)
    for (const name of isObject(item.value) ? Object.keys(item.value) : []) {
      if (methods.includes(name)) yield* checkObject(`${place}.${name}`, item.field(name), true)
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
  for (const [holder, { value, list }] of holders) {
    const given = readField(value, 'parameters')
    if (given !== undefined && !Array.isArray(given)) yield [`${holder}.parameters`, 'must be a list']
    const names = new Set<string>()
    for (const [position, parameter] of list('parameters').entries()) {
      if (parameter.fault !== null) continue
      const at = `${holder}.parameters[${position}]`
      const [name, where] = [parameter.text('name'), parameter.text('in')]
      if (name === '') yield [`${at}.name`, required]
      if (!known.includes(where)) yield [`${at}.in`, `must be one of ${known.join(', ')}`]
      if (where === 'path' && !parameter.is('required'))
        yield [`${at}.required`, 'must be true for a path parameter']
      if (names.has(`${where} ${name}`)) yield [at, `is the second ${where} parameter ${name}`]
      names.add(`${where} ${name}`)
      if (!typeFields.some((field) => parameter.field(field).exists))
        yield [`${at}.${typeFields[0]}`, required]
    }
  }
  if (isWebhook) return
  const declared = listParameters(operation).filter((parameter) => parameter.text('in') === 'path')
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g))
    if (!declared.some((parameter) => parameter.text('name') === name))
      yield [`${place}.parameters`, `must have the path parameter ${name}`]
}

function* checkResponses(description: Description, { node, place }: Operation): Faults {
  const path = `${place}.responses`
  yield* checkObject(path, node.field('responses'), !mayLeaveOut(description))
  for (const [status, response] of node.entries('responses')) {
    if (status.startsWith('x-')) continue
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/.test(status))
      yield [`${path}.${status}`, 'must be a status such as 200 or 4XX, or default']
    if (response.fault !== null || description.version.startsWith('3.2')) continue
    if (typeof readField(response.value, 'description') !== 'string')
      yield [`${path}.${status}.description`, required]
  }
}

function* checkBody(description: Description, { node, place }: Operation): Faults {
  const body = node.field('requestBody')
  if (!body.exists) return
  const path = `${place}.requestBody`
  if (isSwagger(description)) yield [path, 'is a field of OpenAPI 3']
  if (body.fault === null && !isObject(readField(body.value, 'content'))) yield [`${path}.content`, required]
}
