// The documents that a description is made into: an overview, one an operation and one a schema, each a title and sections.
import type { Block, Section } from '../../crawler/extract/page.ts'
import { extractMarkdown } from '../../crawler/extract/plain-text.ts'
import {
  type Body,
  bodyOf,
  type Description,
  type Media,
  type Operation,
  type Parameter,
  parametersOf,
  type Response,
  responsesOf,
  serversOf,
} from './description.ts'
import { showExample } from './example-text.ts'
import { entriesOf, fieldOf, isObject, type Json, listOf, textOf, textsOf } from './json-value.ts'
import type { Node } from './references.ts'
import { createSchemaText, type SchemaText, toLine, toSentence } from './schema-text.ts'
import { securityLines, securitySentence } from './security-text.ts'

export interface ApiDocument {
  title: string
  /** Names that it is found by beside its title. */
  keywords: string[]
  sections: Section[]
}

/** Characters of one text of a description. */
const maxText = 100_000
const maxExamples = 5
const maxName = 300
/** Of one operation. */
const max = { parameters: 300, responses: 60, media: 4, headers: 10, tags: 20 }

interface DocumentText {
  overview(): ApiDocument
  operation(operation: Operation): ApiDocument
  schema(name: string, node: Node): ApiDocument
}

export function createDocumentText(description: Description): DocumentText {
  const { root, references } = description
  const schemas = createSchemaText(references)
  const api = textOf(fieldOf(root, 'info'), 'title').slice(0, maxName)

  return {
    overview() {
      const info = fieldOf(root, 'info')
      const intro = [
        ...paragraph(factsOf([['Version', [textOf(info, 'version')]]])),
        ...paragraph(factsOf([['Servers', serversOf(description, null)]])),
      ]
      return {
        title: api || 'API',
        keywords: [],
        sections: [
          ...withHead(section('', intro), markdown(textOf(info, 'description'))),
          ...section('Authentication', list(securityLines(description))),
          ...section('Groups of operations', list(tagLines(root))),
        ],
      }
    },

    operation(operation) {
      schemas.begin()
      const { method, isWebhook, node } = operation
      const path = operation.path.slice(0, maxName)
      const name = isWebhook ? `Webhook ${path} (${method})` : `${method} ${path}`
      const summary = textOf(node.value, 'summary').slice(0, maxName)
      const id = textOf(node.value, 'operationId').slice(0, maxName)
      const tags = textsOf(node.value, 'tags')
        .slice(0, max.tags)
        .map((tag) => tag.slice(0, maxName))
      const [server] = isWebhook ? [] : serversOf(description, operation)
      const intro = [
        ...described(node.value),
        ...(fieldOf(node.value, 'deprecated') === true ? paragraph('This operation is deprecated.') : []),
        ...(server === undefined
          ? []
          : [{ kind: 'code' as const, text: `${method} ${server.slice(0, maxName)}${path}` }]),
        ...paragraph(
          factsOf([
            ['Operation', [id]],
            ['Group', tags],
            ['API', [api]],
          ]),
        ),
        ...paragraph(securitySentence(description, node.value)),
      ]
      const responses = responsesOf(description, operation).slice(0, max.responses)
      return {
        title: summary === '' ? name : `${name}: ${summary}`,
        keywords: [id, ...tags].filter(Boolean),
        sections: [
          ...withName(section(summary || name, intro), name),
          ...parameterSections(schemas, parametersOf(description, operation).slice(0, max.parameters)),
          ...bodySection(schemas, bodyOf(description, operation)),
          ...section(
            'Responses',
            responses.filter(isGood).flatMap((each) => responseBlocks(schemas, each)),
          ),
          ...section(
            'Errors',
            responses.filter((each) => !isGood(each)).flatMap((each) => responseBlocks(schemas, each)),
          ),
          ...callbackSection(node),
        ],
      }
    },

    schema(name, node) {
      schemas.begin()
      const target = references.follow(node)
      const value = 'fault' in target ? null : target.value
      const blocks = [
        ...described(value),
        ...(fieldOf(value, 'deprecated') === true ? paragraph('This schema is deprecated.') : []),
        ...paragraph([toSentence(`Type: ${shapeOf(schemas, node)}`), schemas.boundsOf(node)].join(' ')),
      ]
      const fields = list(schemas.lines(node))
      const examples = [fieldOf(value, 'example'), ...listOf(value, 'examples')].filter(
        (each) => each !== undefined,
      )
      return {
        title: `${name} (schema)`,
        keywords: [name, textOf(value, 'title')].filter(Boolean),
        sections: [
          ...section(name, blocks),
          ...section(`Fields of ${name}`, fields),
          ...section(
            'Examples',
            examples.slice(0, maxExamples).flatMap((each) => showExample(each)),
          ),
        ],
      }
    },
  }
}

/** A schema is not told by its own name. */
function shapeOf(schemas: SchemaText, { value, file }: Node): string {
  const type = schemas.typeOf({ value, file })
  return type === '' ? 'object' : type
}

const places: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Header parameters',
  cookie: 'Cookie parameters',
}

function parameterSections(schemas: SchemaText, parameters: Parameter[]): Section[] {
  return Object.entries(places).flatMap(([place, heading]) => {
    const lines = parameters.filter((each) => each.in === place).map((each) => parameterLine(schemas, each))
    return section(heading, list(lines))
  })
}

/** `- limit (query parameter, integer): How many pets to return at one time. Maximum 100, default 20.` */
function parameterLine(schemas: SchemaText, parameter: Parameter): string {
  const { name, in: place, isRequired, isDeprecated, description, schema } = parameter
  const marks = [`${place} parameter`, schemas.typeOf(schema)]
  if (isRequired) marks.push('required')
  if (isDeprecated) marks.push('deprecated')
  return toLine(`${name} (${marks.join(', ')})`, description, schemas.boundsOf(schema))
}

function bodySection(schemas: SchemaText, body: Body | null): Section[] {
  if (body === null) return []
  const opening = body.isRequired ? ['A body is required.'] : []
  const types = body.media
    .slice(0, max.media)
    .map(({ type }) => type)
    .join(', ')
  return section('Request body', [
    ...paragraph([...opening, toSentence(types === '' ? '' : `Content type: ${types}`)].join(' ')),
    ...plain(body.description),
    ...differentMedia(body.media).flatMap((media) => {
      if (media.schema === null) return examplesOf(media)
      const type = schemas.typeOf(media.schema)
      return [
        ...paragraph(toSentence(`Body: ${type}`)),
        ...list(schemas.lines(media.schema)),
        ...examplesOf(media),
      ]
    }),
  ])
}

/** Types of a body that have the same schema are told of once. */
function differentMedia(media: Media[]): Media[] {
  const seen = new Set<string>()
  return media.slice(0, max.media).filter(({ schema }) => {
    const reference = fieldOf(schema?.value ?? null, '$ref')
    if (typeof reference !== 'string') return true
    return !seen.has(reference) && seen.add(reference)
  })
}

function isGood({ status }: Response): boolean {
  return /^[123]/.test(status)
}

function responseBlocks(schemas: SchemaText, response: Response): Block[] {
  const { status, description, media, headers } = response
  const [first] = media
  const type = first?.schema
    ? ` Content: ${schemas.typeOf(first.schema)} (${media.map((each) => each.type).join(', ')}).`
    : ''
  const status_ = status === 'default' ? 'Any other status' : `Status ${status}`
  const headerLines = headers.slice(0, max.headers).map(([name, node]) => {
    return toLine(`${name} (response header)`, textOf(node.value, 'description'))
  })
  return [
    ...paragraph(`${[`${status_}:`, toSentence(description)].join(' ').trim()}${type}`),
    ...(first?.schema ? fieldBlocks(schemas, first.schema) : []),
    ...list(headerLines),
    ...(first ? examplesOf(first) : []),
  ]
}

/** A schema with a name has a document of its own: here its fields are named alone. */
function fieldBlocks(schemas: SchemaText, schema: Node): Block[] {
  if (!schemas.isNamed(schema)) return list(schemas.lines(schema))
  const names = schemas.fieldNames(schema)
  return names.length === 0 ? [] : paragraph(`Fields: ${names.join(', ')}.`)
}

function examplesOf({ examples }: Media): Block[] {
  return examples
    .slice(0, maxExamples)
    .flatMap(([name, value]) => [
      ...paragraph(name === '' ? 'Example:' : `Example: ${name}`.slice(0, 200)),
      ...showExample(value),
    ])
}

function callbackSection(node: Node): Section[] {
  const lines = entriesOf(node.value, 'callbacks').flatMap(([name, callback]) =>
    isObject(callback)
      ? Object.keys(callback).map((address) => toLine(name, `It is sent to ${address}`))
      : [],
  )
  return section('Callbacks', list(lines.slice(0, 50)))
}

function tagLines(root: Json): string[] {
  return listOf(root, 'tags')
    .slice(0, 1_000)
    .map((tag) => toLine(textOf(tag, 'name'), textOf(tag, 'description')))
}

/** `Operation: listPets. Group: pets.` */
function factsOf(facts: [name: string, values: string[]][]): string {
  return facts
    .map(([name, values]) => [name, values.filter((value) => value !== '')] as const)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}: ${values.join(', ')}.`)
    .join(' ')
}

function section(heading: string, blocks: Block[]): Section[] {
  return blocks.length === 0
    ? []
    : [{ kind: 'heading', anchor: null, heading: heading.slice(0, 200), path: [], blocks }]
}

/** A section that is looked for by this name, too. */
function withName(sections: Section[], name: string): Section[] {
  return sections.map((each) =>
    each.heading === name ? each : { ...each, also: [{ heading: name.slice(0, 200), anchor: null }] },
  )
}

/** Sections of a text, with what stands before its first heading. */
function withHead(head: Section[], sections: Section[]): Section[] {
  const [first, ...others] = sections
  if (first === undefined || first.heading !== '' || head[0] === undefined) return [...head, ...sections]
  return [{ ...head[0], blocks: [...first.blocks, ...head[0].blocks] }, ...others]
}

function described(value: Json): Block[] {
  return plain(textOf(value, 'description'))
}

/** The blocks of a text in Markdown, its headings among them. */
function plain(text: string): Block[] {
  return markdown(text).flatMap(({ heading, blocks }) => [...paragraph(heading), ...blocks])
}

function markdown(text: string): Section[] {
  if (text === '') return []
  // The first heading would count as a page's title.
  const { sections } = extractMarkdown(`# .\n\n${text.slice(0, maxText)}`, '')
  return sections
    .map((each) => ({
      ...each,
      heading: each.heading === '.' ? '' : each.heading,
      path: each.path.filter((heading) => heading !== '.'),
    }))
    .filter(({ heading, blocks }) => heading !== '' || blocks.length > 0)
}

function paragraph(text: string): Block[] {
  return text.trim() === '' ? [] : [{ kind: 'paragraph', text: text.trim() }]
}

function list(lines: string[]): Block[] {
  return lines.length === 0 ? [] : [{ kind: 'list', text: lines.join('\n') }]
}
