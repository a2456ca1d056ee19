// Content negotiation by the headers `accept` and `accept-encoding`: CSV, gzip, Brotli.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding, HttpResponse } from './http.ts'
import type { Json } from './json/write.ts'

/** Lower-case name → quality, highest first. Equal ones keep the header's order. An invalid quality is 0. */
export function readAccept(header: string): Map<string, number> {
  const items = header.split(',').map((item): [string, number] => {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    return [name!, q === undefined ? 1 : Number(q.slice(2)) || 0]
  })
  return new Map(items.sort(([, a], [, b]) => b - a))
}

/** In bytes. A body up to this size is not compressed. */
const minSize = 1024
/** Excludes event streams: compression would delay events. */
const compressible = /^(text\/(?!event-stream)|application\/json|image\/svg)/

const brotli = promisify(brotliCompress)
/** Runs on zlib's threads. Quality 11 makes a file 8 % smaller than 9, and takes 20 times as long. */
const encoders: Record<Encoding, (body: Uint8Array) => Promise<Uint8Array>> = {
  br: (body: Uint8Array) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify<Uint8Array, Uint8Array>(gzip),
}

/**
 * Compresses the response for a client that sent this `Accept-Encoding`: JSON as gzip, files also as Brotli and only once.
 */
export async function compress(answer: HttpResponse, accepts: string): Promise<HttpResponse> {
  const { headers, body, encoded } = answer
  if (!compressible.test(headers['content-type'] ?? '') || headers['content-encoding']) return answer
  const vary = headers.vary ? `${headers.vary}, accept-encoding` : 'accept-encoding'
  const encoding =
    Buffer.byteLength(body) > minSize ? preferred(accepts, encoded ? ['br', 'gzip'] : ['gzip']) : null
  if (encoding === null) return { ...answer, headers: { ...headers, vary } }
  const compressed = encoded?.get(encoding) ?? encoders[encoding](Buffer.from(body))
  encoded?.set(encoding, compressed)
  return { ...answer, headers: { ...headers, vary, 'content-encoding': encoding }, body: await compressed }
}

/** The offered encoding that the client prefers, the first of equal ones. Null if it accepts none. */
function preferred(accepts: string, offered: Encoding[]): Encoding | null {
  const accepted = readAccept(accepts)
  const plain = accepted.get('identity') ?? 0
  const quality = (encoding: Encoding) => accepted.get(encoding) ?? accepted.get('*') ?? 0
  const [best] = offered.sort((a, b) => quality(b) - quality(a))
  return quality(best!) > 0 && quality(best!) >= plain ? best! : null
}

type JsonObject = { [name: string]: Json }

/**
 * Writes a response as CSV (RFC 4180), one row per object in it. The first cell, `part`, names the response's field that contains the
 * object. Columns are the field names of all objects. A field that an object lacks is an empty cell.
 */
export function toCsv(answer: Json): string {
  const rows = Object.entries(answer as JsonObject).flatMap(([part, value]) =>
    typeof value === 'object' && value !== null
      ? [value].flat().map((each) => ({ part, ...(each as JsonObject) }))
      : [],
  )
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...rows.map((row: JsonObject) => columns.map((name) => row[name] ?? ''))]
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('')
}

/** Characters that begin a formula in spreadsheets, and those skipped before it. */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/
/** In many countries the semicolon separates cells: what follows one may begin a formula, too. */
const delimiter = /[;\t\r\n]/
const operator = /[=+\-@＝＋－＠]/

function withoutFormulas(text: string): string {
  const start = text.length - text.trimStart().length
  let safe = formula.test(text) ? `'${text.slice(0, start)}` : text.slice(0, start)
  let isStart = false
  for (const char of text.slice(start)) {
    if (isStart && operator.test(char)) safe += "'"
    safe += char
    isStart = delimiter.test(char) || (isStart && char.trim() === '')
  }
  return safe
}

function toCell(value: Json): string {
  if (typeof value === 'number') return String(value)
  const text = Array.isArray(value) ? value.join('; ') : String(value)
  const safe = withoutFormulas(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Whether an `accept` header prefers `text/csv` to JSON. Of equal ones, the first wins. */
export function prefersCsv(accept: string): boolean {
  const known = ['text/csv', 'application/json', 'application/*', '*/*']
  const [best] = [...readAccept(accept)].filter(([type, quality]) => quality > 0 && known.includes(type))
  return best?.[0] === 'text/csv'
}
