// Vectors without a model: texts that share words are near each other, and equal texts have equal vectors.
import { createHash } from 'node:crypto'
import type { ProviderCall } from './provider-call.ts'

const dimensions = 64

/** Each word adds or subtracts one in one dimension; not normalized, like the vectors of some endpoints. */
export function toWordVector(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ['']) {
    const hash = createHash('sha1').update(word).digest()
    vector[hash[0]! % dimensions]! += hash[1]! % 2 ? 1 : -1
    vector[hash[2]! % dimensions]! += 0.5
  }
  return vector
}

/** The script of a working endpoint. */
export function embeds(call: ProviderCall): void {
  const texts: string[] = [call.body.input].flat()
  call.json({
    object: 'list',
    model: call.body.model,
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: toWordVector(text) })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  })
}
