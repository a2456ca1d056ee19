// Products of one vector of bytes with many, sixteen axes at a step (dot-products.wat), as JavaScript has no such steps: more
// than ten times as fast as a plain loop, which is what makes comparing with every vector of a project quick enough.
//
//   codes of two rows [1, 2, …] [3, 0, …], query [2, 1, …] → out [4, 6]
import { readFileSync } from 'node:fs'

/** Rows stand this many bytes apart, or a multiple: the rest of a row is zeros. */
const step = 16

export const paddedTo = (dimension: number): number => Math.ceil(dimension / step) * step

/** What is used of it; TypeScript describes it for browsers only. */
interface WebAssemblyApi {
  Module: new (code: Uint8Array) => object
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer }
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> }
}
const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly
const compiled = new Module(readFileSync(new URL('dot-products.wasm', import.meta.url)))
const pageSize = 65_536

/**
 * Room for `rows` vectors of `width` bytes (paddedTo), to be filled by the caller. `products` answers a product a row,
 * in an array that its next call writes anew. At most 4 GiB.
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
