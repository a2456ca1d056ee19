// Vectors without a model: texts that share words are near each other, and the same text is always the same vector.
import { createHash } from 'node:crypto'
import type { ProviderCall } from './provider-call.ts'

const dimensions = 64

/** Each word adds one to one dimension or takes it away; not of length 1, as some endpoints answer. */
export function toWordVector(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? ['']) {
    const hash = createHash('sha1').update(word).digest()
    vector[hash[0]! % dimensions]! += hash[1]! % 2 ? 1 : -1
    vector[hash[2]! % dimensions]! += 0.5
  }
  return vector
}

/** The script of an endpoint that works. */
export function embeds(call: ProviderCall): void {
  const texts: string[] = [call.body.input].flat()
  call.json({
    object: 'list',
    model: call.body.model,
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: toWordVector(text) })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  })
}
