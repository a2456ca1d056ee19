// Prints the documents of a description as HTML, which the parser then reads like any page: an overview, one document per
// operation, and one per schema.
import { escapeUTF8 as escapeHtml } from 'entities/escape'
import { parseFragment, serialize } from 'parse5'
import { renderMarkdown } from '../markup.ts'
import {
  type Description,
  isSwagger,
  listParameters,
  type Operation,
  readBody,
  readExamples,
  readMedia,
  readParameterSchema,
  readServers,
} from './description.ts'
import { isObject, type Json, readEntries, readField, readList } from './read-file.ts'
import type { Node } from './references.ts'
import {
  createFieldLines,
  describeBounds,
  describeType,
  isNamed,
  listFieldNames,
  toLine,
  toSentence,
} from './schema-text.ts'

export interface ApiDocument {
  title: string
  /** Additional search terms. */
  keywords: string[]
  /** Another name of the first section: `GET /pets`. */
  name?: string
  html: string
}

/** Maximum characters of one text in a description. */
const maxText = 100_000
const maxExamples = 5
const maxName = 300
/** Limits of one example: values including lists and objects, and characters. */
const maxExample = { values: 300, characters: 4_000 }
/** Alternative ways to authenticate one operation. */
const maxSecurity = 20
/** Limits of one operation. */
const max = { parameters: 300, responses: 60, media: 4, headers: 10, tags: 20, callbacks: 50 }

export function createDocumentText(description: Description) {
  const { root, references } = description
  const api = root.field('info').text('title').slice(0, maxName)

  return {
    overview(): ApiDocument {
      const info = root.field('info')
      const introduction = toHtml(info.text('description'), (level) => `h${Math.min(6, level + 1)}`)
      const [intro = ''] = introduction.split(/(?=<h\d)/, 1)
      return {
        title: api || 'API',
        keywords: [],
        html: join(
          intro,
          facts(['Version', [info.text('version')]]),
          facts(['Servers', readServers(description, null)]),
          introduction.slice(intro.length),
          section('Authentication', list(securityLines(description))),
          section(
            'Groups of operations',
            list(root.list('tags', 1_000).map((tag) => toLine(tag.text('name'), tag.text('description')))),
          ),
        ),
      }
    },

    operation(operation: Operation): ApiDocument {
      const toLines = createFieldLines(references)
      const { method, isWebhook, node } = operation
      const path = operation.path.slice(0, maxName)
      const name = isWebhook ? `Webhook ${path} (${method})` : `${method} ${path}`
      const summary = node.text('summary').slice(0, maxName)
      const id = node.text('operationId').slice(0, maxName)
      const tags = node
        .texts('tags')
        .slice(0, max.tags)
        .map((tag) => tag.slice(0, maxName))
      const [server] = isWebhook ? [] : readServers(description, operation)
      const responses = node.entries('responses').filter(isResponse).slice(0, max.responses)

      /** For a named schema, which has its own document, only the names of its fields. */
      const toFields = (schema: Node) =>
        isNamed(schema) ? facts(['Fields', listFieldNames(schema)]) : list(toLines(schema))

      function parameterSection(place: string): string {
        const parameters = listParameters(operation)
          .filter((parameter) => parameter.text('in') === place.toLowerCase())
          .slice(0, max.parameters)
        return section(`${place} parameters`, list(parameters.map(parameterLine)))
      }

      function bodySection(): string {
        const found = readBody(description, operation)
        if (found === null) return ''
        const media = found.media.slice(0, max.media)
        const opening = found.body.is('required') ? 'A body is required. ' : ''
        // A schema that several media types share is printed once.
        const shared = new Set<string>()
        const distinct = media.filter(([, holder]) => {
          const [reference] = holder.field('schema').followed
          return reference === undefined || (!shared.has(reference) && shared.add(reference))
        })
        return section(
          'Request body',
          paragraph(opening + toSentence(media.length > 0 ? `Content type: ${toTypes(media)}` : '')),
          toParagraphs(found.body.text('description')),
          ...distinct.flatMap(([, holder]) => {
            const schema = holder.field('schema')
            const text = schema.exists ? toSentence(`Body: ${describeType(schema)}`) : ''
            return [paragraph(text), list(toLines(schema)), ...examplesOf(holder)]
          }),
        )
      }

      function responseText([status, response]: [string, Node]): string {
        const media = readMedia(description, operation, response)
        const [, first] = media[0] ?? []
        const schema = first?.field('schema')
        const content = schema?.exists ? ` Content: ${describeType(schema)} (${toTypes(media)}).` : ''
        const label = status === 'default' ? 'Any other status' : `Status ${status}`
        const headers = response.entries('headers').slice(0, max.headers)
        return join(
          paragraph(`${label}: ${toSentence(response.text('description'))}`.trim() + content),
          schema ? toFields(schema) : '',
          list(
            headers.map(([name, header]) => toLine(`${name} (response header)`, header.text('description'))),
          ),
          ...(first ? examplesOf(first) : []),
        )
      }

      const examplesOf = (holder: Node) =>
        readExamples(description, holder).slice(0, maxExamples).flatMap(toExample)
      const responseSection = (heading: string, pattern: RegExp) =>
        section(heading, ...responses.filter(([status]) => pattern.test(status)).map(responseText))

      return {
        title: summary === '' ? name : `${name}: ${summary}`,
        keywords: [id, ...tags].filter(Boolean),
        name,
        html: join(
          toElement('h1', escapeHtml(summary || name)),
          toParagraphs(node.text('description')),
          paragraph(node.is('deprecated') ? 'This operation is deprecated.' : ''),
          server === undefined ? '' : code(`${method} ${server.slice(0, maxName)}${path}`),
          facts(['Operation', [id]], ['Group', tags], ['API', [api]]),
          paragraph(securitySentence(description, node)),
          ...['Path', 'Query', 'Header', 'Cookie'].map(parameterSection),
          bodySection(),
          responseSection('Responses', /^[123]/),
          responseSection('Errors', /^(?![123])/),
          callbackSection(node),
        ),
      }
    },

    schema(name: string, node: Node): ApiDocument {
      const { value } = node
      const examples = [readField(value, 'example'), ...readList(value, 'examples')]
      const given = examples.filter((value) => value !== undefined).slice(0, maxExamples)
      return {
        title: `${name} (schema)`,
        keywords: [name, node.text('title')].filter(Boolean),
        html: join(
          toElement('h1', escapeHtml(name)),
          toParagraphs(node.text('description')),
          paragraph(node.is('deprecated') ? 'This schema is deprecated.' : ''),
          paragraph(`${toSentence(`Type: ${describeType(node)}`)} ${describeBounds(node)}`),
          section(`Fields of ${name}`, list(createFieldLines(references)(node))),
          section('Examples', ...given.map(example)),
        ),
      }
    },
  }
}

const isResponse = ([status, { value }]: [string, Node]) => value !== undefined && !status.startsWith('x-')
const toTypes = (media: [type: string, holder: Node][]) => media.map(([type]) => type).join(', ')

/** `limit (query parameter, integer): How many pets to return at one time. Maximum 100, default 20.` */
function parameterLine(parameter: Node): string {
  const place = parameter.text('in')
  const schema = readParameterSchema(parameter)
  const marks = [`${place} parameter`, describeType(schema)]
  if (place === 'path' || parameter.is('required')) marks.push('required')
  if (parameter.is('deprecated')) marks.push('deprecated')
  const name = `${parameter.text('name')} (${marks.join(', ')})`
  return toLine(name, parameter.text('description'), describeBounds(schema))
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
  const { root } = description
  const schemes = isSwagger(description)
    ? root.entries('securityDefinitions')
    : root.field('components').entries('securitySchemes')
  return schemes.map(([name, scheme]) => toLine(name, schemeText(scheme), scheme.text('description')))
}

function schemeText(scheme: Node): string {
  const type = scheme.text('type')
  if (type === 'apiKey') return `API key in the ${scheme.text('in')} ${scheme.text('name')}`
  if (type === 'http') return `HTTP authentication, ${scheme.text('scheme')}`
  const names: Record<string, string> = {
    oauth2: 'OAuth 2.0',
    openIdConnect: 'OpenID Connect',
    basic: 'HTTP authentication, basic',
  }
  return Object.hasOwn(names, type) ? (names[type] as string) : type
}

/** `Authentication: token, or key (read).`: the requirements of the operation, else of the whole description. */
function securitySentence({ root }: Description, operation: Node): string {
  const holder = Array.isArray(operation.field('security').value) ? operation : root
  const alternatives = holder.list('security', maxSecurity).map((requirement) => {
    const schemes = Object.keys(requirement.value ?? {}).map((name) => {
      const scopes = requirement.texts(name)
      return scopes.length > 0 ? `${name} (${scopes.join(', ')})` : name
    })
    return schemes.join(' and ') || 'nothing'
  })
  return alternatives.length === 0 ? '' : toSentence(`Authentication: ${alternatives.join(', or ')}`)
}

function toExample([name, value]: [string, Json]): string[] {
  const label = name === '' ? 'Example:' : `Example: ${name}`.slice(0, 200)
  return [paragraph(label), example(value)]
}

function example(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, createShortener(), 2)
  return code(text.slice(0, maxExample.characters).trim())
}

/** Keeps only part of a value: with YAML aliases, it may be very large. */
function createShortener() {
  let left = maxExample.values
  const take = <Item>(items: Item[]): Item[] => items.slice(0, Math.max(0, left))
  return (_: string, value: Json): Json => {
    left -= 1
    if (typeof value === 'string') return value.length > 500 ? `${value.slice(0, 500)}…` : value
    if (!isObject(value)) return Array.isArray(value) ? take(value) : value
    return Object.fromEntries(take(Object.entries(value)).map(([name, field]) => [name.slice(0, 200), field]))
  }
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
