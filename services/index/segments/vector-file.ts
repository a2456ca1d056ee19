// An immutable file of vectors, by the ids of their units, so that it survives merges of segments. Each vector is stored as bytes,
// for a first pass over all vectors, and as floats.
import { readFileSync } from 'node:fs'
import type { UnitVector } from '../search-index.ts'
import { createBytesFile, openBytesFile } from './bytes-file.ts'

interface VectorTables {
  model: string
  dimension: number
  /** Of each row's bytes, which begin the file. The floats follow them. */
  scales: Float32Array
  /** Unit id of each row. */
  units: string[]
}

/** Writes at least one row, and syncs the file to disk. The vectors have length 1. */
export function writeVectorFile(path: string, model: string, rows: UnitVector[]): void {
  const dimension = rows[0]!.vector.length
  const width = paddedTo(dimension)
  const codes = new Int8Array(rows.length * width)
  const scales = new Float32Array(rows.length)
  for (const [at, { vector }] of rows.entries())
    scales[at] = toCodes(vector, codes.subarray(at * width, (at + 1) * width))
  const file = createBytesFile(path)
  file.append(codes)
  for (const { vector } of rows) file.append(vector)
  file.finish({ model, dimension, scales, units: rows.map(({ unit }) => unit) } satisfies VectorTables)
}

export function openVectorFile(path: string) {
  const { tables, read, close } = openBytesFile<VectorTables>(path)
  const { dimension, scales, units } = tables
  const rows = units.length
  const width = paddedTo(dimension)
  const rowOf = new Map(units.map((unit, row) => [unit, row]))
  let loaded: ReturnType<typeof createDotProducts> | null = null

  /** Loaded on first use. */
  function load() {
    loaded = createDotProducts(rows, width)
    read(loaded.codes, 0)
    return loaded
  }

  return {
    ...tables,
    rows,
    /** The row of a unit, or -1. */
    row: (unit: string): number => rowOf.get(unit) ?? -1,

    /** Approximate dot products of a vector with each row. Valid until the next call. */
    products(wanted: Float32Array): (row: number) => number {
      const { products } = loaded ?? load()
      const wantedCodes = new Int8Array(width)
      const scale = toCodes(wanted, wantedCodes)
      const found = products(wantedCodes)
      return (row) => found[row]! * scale * scales[row]!
    },

    /** The exact vector of a row. */
    vector: (row: number): Float32Array =>
      read(new Float32Array(dimension), rows * width + row * dimension * Float32Array.BYTES_PER_ELEMENT),

    close,
  }
}

export type VectorFile = ReturnType<typeof openVectorFile>

/** Quantizes to bytes and returns the scale: `[0.5, -0.25]` → codes 127, -64, scale 0.5 / 127. */
function toCodes(vector: Float32Array, codes: Int8Array): number {
  let max = 0
  for (const value of vector) max = Math.max(max, Math.abs(value))
  const scale = max / 127 || 1
  for (let axis = 0; axis < vector.length; axis++) codes[axis] = Math.round(vector[axis]! / scale)
  return scale
}

/** Rows are padded with zeros to a multiple of this many bytes. */
const step = 16

export const paddedTo = (dimension: number): number => Math.ceil(dimension / step) * step

/** The parts in use: TypeScript declares WebAssembly for browsers only. */
interface WebAssemblyApi {
  Module: new (code: Uint8Array) => object
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer }
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> }
}
const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly
const compiled = new Module(readFileSync(new URL('dot-products.wasm', import.meta.url)))
const pageSize = 65_536

/**
 * Computes dot products of one byte vector with `rows` others of `width` bytes (paddedTo), which the caller writes to
 * `codes`. SIMD over 16 bytes (dot-products.wat) takes 1/17 of the time of a JavaScript loop. `products` returns one product
 * per row, in an array that the next call overwrites. At most 4 GiB.
 *
 *   rows [1, 2, …] and [3, 0, …], query [2, 1, …] → [4, 6]
 */
export function createDotProducts(rows: number, width: number) {
  const outAt = rows * width
  const queryAt = outAt + 4 * rows
  const memory = new Memory({ initial: Math.ceil((queryAt + width) / pageSize) })
  const instance = new Instance(compiled, { js: { memory } })
  const run = instance.exports.products as (...numbers: number[]) => void
  const out = new Int32Array(memory.buffer, outAt, rows)
  return {
    codes: new Int8Array(memory.buffer, 0, rows * width),
    products(wanted: Int8Array): Int32Array {
      new Int8Array(memory.buffer).set(wanted, queryAt)
      if (rows > 0) run(0, queryAt, outAt, rows, width)
      return out
    },
  }
}
