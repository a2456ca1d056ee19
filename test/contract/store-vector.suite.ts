// The contract of vectors of texts.
import assert from 'node:assert/strict'
import type { StoreCases } from './store-case.ts'

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
const one = Float32Array.of(0.5, -1, 3)
const two = Float32Array.of(1e-7, 0, 2)

export const vectorCases: StoreCases = {
  async 'returns vectors exactly, in the requested order, null for missing ones'({ vectors }) {
    await vectors.write(
      'm',
      [
        { hash: 'a', vector: one },
        { hash: 'b', vector: two.subarray() },
      ],
      at(1),
    )
    assert.deepEqual(await vectors.read('m', ['b', 'x', 'a', 'b'], at(1)), [two, null, one, two])
    assert.deepEqual(await vectors.read('m', [], at(1)), [])
  },
  async 'stores a part of a larger array as that part'({ vectors }) {
    const all = Float32Array.of(1, 2, 3, 4)
    await vectors.write('m', [{ hash: 'a', vector: all.subarray(1, 3) }], at(1))
    assert.deepEqual(await vectors.read('m', ['a'], at(1)), [Float32Array.of(2, 3)])
  },
  async 'keeps vectors of two models apart, and keeps an existing one'({ vectors }) {
    await vectors.write('m', [{ hash: 'a', vector: one }], at(1))
    await vectors.write('n', [{ hash: 'a', vector: two }], at(1))
    await vectors.write('m', [{ hash: 'a', vector: two }], at(1))
    assert.deepEqual(await vectors.read('m', ['a'], at(1)), [one])
    assert.deepEqual(await vectors.read('n', ['a'], at(1)), [two])
  },
  async 'forgets only vectors that were not used for long'({ vectors }) {
    await vectors.write('m', [{ hash: 'old', vector: one }], at(1))
    await vectors.write('m', [{ hash: 'read', vector: one }], at(1))
    await vectors.write('m', [{ hash: 'new', vector: one }], at(5))
    await vectors.read('m', ['read'], at(6))
    await vectors.read('m', ['read'], at(2))
    await vectors.prune(at(5))
    assert.deepEqual(await vectors.read('m', ['old', 'read', 'new'], at(7)), [null, one, one])
  },
}
