// Where renderers of API descriptions show an operation or a schema: what leads there from the page's address.
import type { Operation } from './description.ts'
import { textOf, textsOf } from './json-value.ts'

/** The page that shows a description to readers; `lectern`: pages of Lectern's own. */
export type Renderer = 'swagger-ui' | 'redoc' | 'scalar' | 'lectern'

/** Characters of a tag or an id: with more, no address would have room for it. */
const maxName = 200

/** Fragments of the page's address; of `lectern` paths below it. */
interface Anchors {
  operation(operation: Operation): string
  schema(name: string): string
}

export const anchorsOf: Record<Renderer, Anchors> = {
  /** `#/pets/listPets`; without an id `#/pets/get_pets__id_`. Schemas are elements of the page. */
  'swagger-ui': {
    operation(operation) {
      const id =
        idOf(operation) || `${operation.method.toLowerCase()}_${operation.path}`.replace(/[^\w]/g, '_')
      return `/${encode(tagOf(operation, 'default'))}/${encode(id)}`
    },
    schema: (name) => `model-${encode(name)}`,
  },
  /** `#tag/pets/operation/listPets`; without an id `#tag/pets/paths/~1pets~1{id}/get`. */
  redoc: {
    operation(operation) {
      const tag = tagOf(operation, '')
      const parent = tag === '' ? '' : `tag/${encode(tag.replace(/\s+/g, '-'))}/`
      const id = idOf(operation)
      return id !== '' ? `${parent}operation/${encode(id)}` : `${parent}${pointerOf(operation)}`
    },
    schema: (name) => `schema/${encode(name)}`,
  },
  /** `#tag/pets/GET/pets/{id}`. */
  scalar: {
    operation(operation) {
      const { isWebhook, method, path } = operation
      if (isWebhook) return `webhook/${method}/${slug(path)}`
      return `tag/${slug(tagOf(operation, 'default'))}/${method}${path}`
    },
    schema: (name) => `model/${slug(name)}`,
  },
  /** `GET/pets/{id}`. */
  lectern: {
    operation: ({ isWebhook, method, path }) => `${isWebhook ? 'webhooks/' : ''}${method}/${path}`,
    schema: (name) => `schemas/${name}`,
  },
}

function idOf({ node }: Operation): string {
  return textOf(node.value, 'operationId').slice(0, maxName)
}

function tagOf({ node }: Operation, none: string): string {
  return textsOf(node.value, 'tags')[0]?.slice(0, maxName) ?? none
}

function pointerOf({ place }: Operation): string {
  const [field, ...rest] = place.split('.')
  const method = rest.pop() as string
  return `${field}/${rest.join('.').replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}_-]/gu, '')
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
