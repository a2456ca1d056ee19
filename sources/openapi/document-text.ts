// Prints the documents of a description as HTML, which the parser then reads like any page: an overview, one document per
// operation, and one per schema.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import { parseFragment, serialize } from 'parse5'
import { renderMarkdown } from '../markup.ts'
import {
  type Body,
  type Description,
  isSwagger,
  type Media,
  type Operation,
  type Parameter,
  type Response,
  readBody,
  readParameters,
  readResponses,
  readServers,
} from './description.ts'
import { isObject, type Json, readEntries, readField, readList, readText, readTexts } from './read-file.ts'
import type { Node } from './references.ts'
import { createSchemaText, type SchemaText, toLine, toSentence } from './schema-text.ts'

export interface ApiDocument {
  title: string
  /** Additional search terms. */
  keywords: string[]
  /** Heading of its first section, or ''. */
  heading: string
  /** Another name of the first section: `GET /pets`. */
  name?: string
  html: string
}

/** Maximum characters of one text in a description. */
const maxText = 100_000
const maxExamples = 5
const maxName = 300
/** Limits of one example: values including lists and objects, depth, and characters. */
const maxExample = { values: 300, depth: 12, characters: 4_000 }
/** Alternative ways to authenticate one operation. */
const maxSecurity = 20
/** Limits of one operation. */
const max = { parameters: 300, responses: 60, media: 4, headers: 10, tags: 20, callbacks: 50 }

export function createDocumentText(description: Description) {
  const { value: root, references } = description
  const schemas = createSchemaText(references)
  const info = readField(root, 'info')
  const api = readText(info, 'title').slice(0, maxName)

  return {
    overview(): ApiDocument {
      const tags = readList(root, 'tags').slice(0, 1_000)
      const introduction = toHtml(readText(info, 'description'), (level) => `h${Math.min(6, level + 1)}`)
      const [intro = ''] = introduction.split(/(?=<h\d)/, 1)
      return {
        title: api || 'API',
        keywords: [],
        heading: '',
        html: join(
          intro,
          facts(['Version', [readText(info, 'version')]]),
          facts(['Servers', readServers(description, null)]),
          introduction.slice(intro.length),
          section('Authentication', list(securityLines(description))),
          section(
            'Groups of operations',
            list(tags.map((tag) => toLine(readText(tag, 'name'), readText(tag, 'description')))),
          ),
        ),
      }
    },

    operation(operation: Operation): ApiDocument {
      schemas.begin()
      const { method, isWebhook, node } = operation
      const path = operation.path.slice(0, maxName)
      const name = isWebhook ? `Webhook ${path} (${method})` : `${method} ${path}`
      const summary = readText(node.value, 'summary').slice(0, maxName)
      const id = readText(node.value, 'operationId').slice(0, maxName)
      const tags = readTexts(node.value, 'tags')
        .slice(0, max.tags)
        .map((tag) => tag.slice(0, maxName))
      const [server] = isWebhook ? [] : readServers(description, operation)
      const responses = readResponses(description, operation).slice(0, max.responses)
      const responseSection = (heading: string, status: RegExp) => {
        const listed = responses.filter((response) => status.test(response.status))
        return section(heading, ...listed.map((response) => responseText(schemas, response)))
      }
      return {
        title: summary === '' ? name : `${name}: ${summary}`,
        keywords: [id, ...tags].filter(Boolean),
        heading: summary || name,
        name,
        html: join(
          toParagraphs(readText(node.value, 'description')),
          paragraph(isDeprecated(node.value) ? 'This operation is deprecated.' : ''),
          server === undefined ? '' : code(`${method} ${server.slice(0, maxName)}${path}`),
          facts(['Operation', [id]], ['Group', tags], ['API', [api]]),
          paragraph(securitySentence(description, node.value)),
          ...parameterSections(schemas, readParameters(description, operation).slice(0, max.parameters)),
          bodySection(schemas, readBody(description, operation)),
          responseSection('Responses', /^[123]/),
          responseSection('Errors', /^(?![123])/),
          callbackSection(node),
        ),
      }
    },

    schema(name: string, node: Node): ApiDocument {
      schemas.begin()
      const target = references.follow(node)
      const value = 'fault' in target ? null : target.value
      const examples = [readField(value, 'example'), ...readList(value, 'examples')].filter(
        (example) => example !== undefined,
      )
      // Omits the name, which would otherwise be the type.
      const type = toSentence(`Type: ${schemas.describeType({ value: node.value, file: node.file })}`)
      return {
        title: `${name} (schema)`,
        keywords: [name, readText(value, 'title')].filter(Boolean),
        heading: name,
        html: join(
          toParagraphs(readText(value, 'description')),
          paragraph(isDeprecated(value) ? 'This schema is deprecated.' : ''),
          paragraph(`${type} ${schemas.describeBounds(node)}`),
          section(`Fields of ${name}`, list(schemas.lines(node))),
          section('Examples', ...examples.slice(0, maxExamples).map(example)),
        ),
      }
    },
  }
}

const isDeprecated = (value: Json) => readField(value, 'deprecated') === true

function parameterSections(schemas: SchemaText, parameters: Parameter[]): string[] {
  return ['Path', 'Query', 'Header', 'Cookie'].map((place) => {
    const lines = parameters
      .filter((parameter) => parameter.in === place.toLowerCase())
      .map((parameter) => parameterLine(schemas, parameter))
    return section(`${place} parameters`, list(lines))
  })
}

/** `limit (query parameter, integer): How many pets to return at one time. Maximum 100, default 20.` */
function parameterLine(schemas: SchemaText, parameter: Parameter): string {
  const { name, in: place, isRequired, isDeprecated, description, schema } = parameter
  const marks = [`${place} parameter`, schemas.describeType(schema)]
  if (isRequired) marks.push('required')
  if (isDeprecated) marks.push('deprecated')
  return toLine(`${name} (${marks.join(', ')})`, description, schemas.describeBounds(schema))
}

function bodySection(schemas: SchemaText, body: Body | null): string {
  if (body === null) return ''
  const media = body.media.slice(0, max.media)
  const types = media.map(({ type }) => type).join(', ')
  const opening = body.isRequired ? 'A body is required. ' : ''
  // A schema that several media types share is printed once.
  const shared = new Set<string>()
  const distinct = media.filter(({ schema }) => {
    const reference = readText(schema?.value, '$ref')
    return reference === '' || (!shared.has(reference) && shared.add(reference))
  })
  return section(
    'Request body',
    paragraph(opening + toSentence(types === '' ? '' : `Content type: ${types}`)),
    toParagraphs(body.description),
    ...distinct.flatMap(({ schema, examples }) => [
      schema ? paragraph(toSentence(`Body: ${schemas.describeType(schema)}`)) : '',
      schema ? list(schemas.lines(schema)) : '',
      examplesText(examples),
    ]),
  )
}

function responseText(schemas: SchemaText, { status, description, media, headers }: Response): string {
  const [first] = media
  const schema = first?.schema
  const types = media.map(({ type }) => type).join(', ')
  const content = schema ? ` Content: ${schemas.describeType(schema)} (${types}).` : ''
  const label = status === 'default' ? 'Any other status' : `Status ${status}`
  return join(
    paragraph(`${label}: ${toSentence(description)}`.trim() + content),
    schema ? fieldsText(schemas, schema) : '',
    list(
      headers
        .slice(0, max.headers)
        .map(([name, { value }]) => toLine(`${name} (response header)`, readText(value, 'description'))),
    ),
    examplesText(first?.examples ?? []),
  )
}

/** For a named schema, which has its own document, only the names of its fields. */
function fieldsText(schemas: SchemaText, schema: Node): string {
  if (!schemas.isNamed(schema)) return list(schemas.lines(schema))
  return facts(['Fields', schemas.fieldNames(schema)])
}

function callbackSection(node: Node): string {
  const lines = readEntries(node.value, 'callbacks').flatMap(([name, callback]) =>
    isObject(callback)
      ? Object.keys(callback).map((address) => toLine(name, `It is sent to ${address}`))
      : [],
  )
  return section('Callbacks', list(lines.slice(0, max.callbacks)))
}

function securityLines(description: Description): string[] {
  const schemes = isSwagger(description)
    ? readEntries(description.value, 'securityDefinitions')
    : readEntries(readField(description.value, 'components'), 'securitySchemes')
  return schemes.map(([name, scheme]) => toLine(name, schemeText(scheme), readText(scheme, 'description')))
}

function schemeText(scheme: Json): string {
  const type = readText(scheme, 'type')
  if (type === 'apiKey') return `API key in the ${readText(scheme, 'in')} ${readText(scheme, 'name')}`
  if (type === 'http') return `HTTP authentication, ${readText(scheme, 'scheme')}`
  const names: Record<string, string> = {
    oauth2: 'OAuth 2.0',
    openIdConnect: 'OpenID Connect',
    basic: 'HTTP authentication, basic',
  }
  return Object.hasOwn(names, type) ? (names[type] as string) : type
}

/** `Authentication: token, or key (read).`: the requirements of the operation, else of the whole description. */
function securitySentence({ value: root }: Description, operation: Json): string {
  const own = readField(operation, 'security')
  const requirements = Array.isArray(own) ? own : readList(root, 'security')
  const alternatives = requirements
    .slice(0, maxSecurity)
    .filter(isObject)
    .map((requirement) => {
      const schemes = Object.keys(requirement).map((name) => {
        const scopes = readTexts(requirement, name)
        return scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name
      })
      return schemes.join(' and ') || 'nothing'
    })
  return alternatives.length === 0 ? '' : toSentence(`Authentication: ${alternatives.join(', or ')}`)
}

function examplesText(examples: Media['examples']): string {
  const texts = examples.slice(0, maxExamples).flatMap(([name, value]) => {
    const label = name === '' ? 'Example:' : `Example: ${name}`.slice(0, 200)
    return [paragraph(label), example(value)]
  })
  return join(...texts)
}

function example(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(shorten(value), null, 2)
  return code(text.slice(0, maxExample.characters).trim())
}

/** Copies only part of a value: with YAML aliases, it may be very large. */
function shorten(value: Json): Json {
  let left = maxExample.values
  const take = <Item>(items: Item[]): Item[] => items.slice(0, Math.max(0, left))
  function copy(value: Json, depth: number): Json {
    left -= 1
    if (typeof value === 'string') return value.length > 500 ? `${value.slice(0, 500)}…` : value
    if (typeof value !== 'object' || value === null) return value
    if (depth > maxExample.depth || left <= 0) return '…'
    if (Array.isArray(value)) return take(value).map((item) => copy(item, depth + 1))
    return Object.fromEntries(
      take(Object.entries(value)).map(([name, field]) => [name.slice(0, 200), copy(field, depth + 1)]),
    )
  }
  return copy(value, 0)
}

/** `Operation: listPets. Group: pets.` */
function facts(...listed: [name: string, values: string[]][]): string {
  const sentences = listed
    .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}: ${values.join(', ')}.`)
  return paragraph(sentences.join(' '))
}

const join = (...blocks: string[]) => blocks.filter((html) => html !== '').join('\n')
const toElement = (name: string, html: string) => (html === '' ? '' : `<${name}>${html}</${name}>`)

const paragraph = (text: string) => toElement('p', escapeHtml(text.trim()))
const code = (text: string) => toElement('pre', escapeHtml(text))
const list = (lines: string[]) =>
  toElement('ul', lines.map((line) => `<li>${escapeHtml(line)}</li>`).join(''))

/** Returns '' if the section has no text. */
function section(heading: string, ...blocks: string[]): string {
  const html = join(...blocks)
  return html === '' ? '' : `<h2>${escapeHtml(heading.slice(0, 200))}</h2>\n${html}`
}

/** Renders Markdown with headings as paragraphs. */
const toParagraphs = (markdown: string) => toHtml(markdown, () => 'p')

/** Renders Markdown, and closes open elements of HTML in it. `toName`: heading level → element. */
function toHtml(markdown: string, toName: (level: number) => string): string {
  const text = markdown.slice(0, maxText)
  try {
    const html = renderMarkdown(text).replace(
      /<(\/?)h([1-6])\b/gi,
      (_, slash, level) => `<${slash}${toName(Number(level))}`,
    )
    return serialize(parseFragment(html))
  } catch (error) {
    // Nested too deep.
    if (error instanceof RangeError) return paragraph(text)
    throw error
  }
}
