// The file of some units' vectors: immutable, written once, beside the segments, which merge without touching it. A row
// is found by page, version and ordinal, so it stays valid when its unit moves to another segment.
//
//   codes (a byte an axis, rows padded) | scales | vectors (4 bytes an axis) | ordinals | directory (JSON) | its length | "LVEC"
import { createBytesFile, openBytesFile } from './bytes-file.ts'
import { createDotProducts, paddedTo } from './dot-products.ts'

const letters = 'LVEC'

export interface VectorRow {
  page: string
  version: number
  ordinal: number
  /** Of length 1. */
  vector: Float32Array
}

/** Rows of one version of a page that stand together. */
interface VectorRun {
  page: string
  version: number
  first: number
  rows: number
}

interface Directory {
  dimension: number
  rows: number
  runs: VectorRun[]
}

export interface VectorFile extends Directory {
  name: string
  ordinals: Uint32Array
  /** Vectors in bytes, to be multiplied with another, and what 1 of each row is worth; read once, then kept. */
  codes(): { products(wanted: Int8Array): Int32Array; scales: Float32Array }
  /** The vector of a row as it was written. */
  vector(row: number): Float32Array
  close(): void
}

/** Writes at least one row; the file is on disk when it returns. Rows of one page and version are best side by side. */
export function writeVectorFile(path: string, rows: VectorRow[]): void {
  const dimension = rows[0]!.vector.length
  const width = paddedTo(dimension)
  const codes = new Int8Array(rows.length * width)
  const scales = new Float32Array(rows.length)
  const vectors = new Float32Array(rows.length * dimension)
  const ordinals = new Uint32Array(rows.length)
  const runs: VectorRun[] = []
  for (const [at, { page, version, ordinal, vector }] of rows.entries()) {
    scales[at] = toCodes(vector, codes.subarray(at * width, (at + 1) * width))
    vectors.set(vector, at * dimension)
    ordinals[at] = ordinal
    const last = runs.at(-1)
    if (last?.page === page && last.version === version) last.rows++
    else runs.push({ page, version, first: at, rows: 1 })
  }
  const file = createBytesFile(path, letters)
  for (const part of [codes, scales, vectors, ordinals]) file.append(part)
  file.finish({ dimension, rows: rows.length, runs } satisfies Directory)
}

/** Fills `codes`, answers what 1 of them is worth: `[0.5, -0.25]` → codes 127, -64, worth 0.5 / 127. */
export function toCodes(vector: Float32Array, codes: Int8Array): number {
  let max = 0
  for (const value of vector) max = Math.max(max, Math.abs(value))
  const scale = max / 127 || 1
  for (let axis = 0; axis < vector.length; axis++) codes[axis] = Math.round(vector[axis]! / scale)
  return scale
}

/** Opens a file; what it holds stays readable when it is deleted meanwhile. */
export function openVectorFile(path: string, name: string): VectorFile {
  const { directory, read, close } = openBytesFile<Directory>(path, letters)
  const { dimension, rows } = directory
  const scalesAt = rows * paddedTo(dimension)
  const vectorsAt = scalesAt + rows * 4
  let loaded: ReturnType<VectorFile['codes']> | null = null

  return {
    ...directory,
    name,
    ordinals: read(new Uint32Array(rows), vectorsAt + rows * dimension * 4),
    codes() {
      if (loaded === null) {
        const { codes, products } = createDotProducts(rows, paddedTo(dimension))
        read(codes, 0)
        loaded = { products, scales: read(new Float32Array(rows), scalesAt) }
      }
      return loaded
    },
    vector: (row) => read(new Float32Array(dimension), vectorsAt + row * dimension * 4),
    close,
  }
}
