// Parses the JSON or YAML of an API description, or of a file that it refers to. Reads only own properties of values: a field may be
// named `__proto__` or `constructor`.
import { parseDocument } from 'yaml'
import { markedCharset } from '../../crawler/extract/charset.ts'
import { UnreadableSource } from '../source-type.ts'

/** Maximum bytes of a YAML file. YAML takes ten times as long to parse as JSON. */
const maxYamlBytes = 10 * 1024 * 1024
/** Maximum number of values that the aliases of a YAML file may expand to. */
const maxAliases = 100

/** Throws UnreadableSource. */
export function readFile(body: Uint8Array): JsonObject {
  const text = decode(body)
  const start = text.trimStart().slice(0, 1)
  if (start === '') throw new UnreadableSource('It is empty.')
  if (start === '<') throw new UnreadableSource('It is a page or XML, and no JSON or YAML.')
  const value = start === '{' || start === '[' ? readJson(text) : readYaml(text, body.length)
  if (!isObject(value)) throw new UnreadableSource('It holds no object.')
  return value
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. */
function decode(body: Uint8Array): string {
  const encoding = markedCharset(body) ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body)
  } catch {
    throw new UnreadableSource(`It is no text in ${encoding.toUpperCase()}.`)
  }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    if (message.includes('end of JSON')) throw new UnreadableSource('It is no valid JSON: it breaks off.')
    const at = /at position (\d+)/.exec(message)?.[1]
    const where = at === undefined ? '' : `, line ${text.slice(0, Number(at)).split('\n').length}`
    throw new UnreadableSource(`It is no valid JSON${where}.`)
  }
}

function readYaml(text: string, bytes: number): Json {
  if (bytes > maxYamlBytes) {
    throw new UnreadableSource(`It is larger than the ${maxYamlBytes / 1024 / 1024} MB that YAML may have.`)
  }
  try {
    // The check for unique keys compares each pair, in quadratic time.
    const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' })
    const [fault] = document.errors
    if (fault?.code === 'RESOURCE_EXHAUSTION') throw new RangeError()
    if (fault) throw new UnreadableSource(`It is no valid YAML: ${toSentence(fault.message)}`)
    return document.toJS({ maxAliasCount: maxAliases })
  } catch (error) {
    if (error instanceof UnreadableSource) throw error
    if (error instanceof RangeError) throw new UnreadableSource('Its values are nested too deeply.')
    if (error instanceof ReferenceError)
      throw new UnreadableSource(
        `Its YAML aliases do not exist, or stand for more than ${maxAliases} values.`,
      )
    throw new UnreadableSource('It is not valid YAML.')
  }
}

/** The first line of the parser's message. Further lines may quote the file. */
function toSentence(message: string): string {
  return `${message
    .split('\n', 1)[0]!
    .slice(0, 200)
    .replace(/[.:]+$/, '')}.`
}

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [name: string]: Json }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns undefined if there is no such own field. */
export function readField(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Returns '' unless the field is a string. */
export function readText(value: Json | undefined, name: string): string {
  const field = readField(value, name)
  return typeof field === 'string' ? field.trim() : ''
}

/** Names and values of an object. Empty for other values. */
export function readEntries(value: Json | undefined, name: string): [string, Json][] {
  const field = readField(value, name)
  return isObject(field) ? Object.entries(field) : []
}

/** Returns an empty list unless the field is a list. */
export function readList(value: Json | undefined, name: string): Json[] {
  const field = readField(value, name)
  return Array.isArray(field) ? field : []
}
