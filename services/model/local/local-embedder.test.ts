import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder } from '../../../test/folder.ts'
import { testModel, weights, withoutWeights } from '../../../test/model/weights.ts'
import { ModelError } from '../model.ts'
import { type LocalEmbedder, openLocalEmbedder } from './local-embedder.ts'

const folder = join(weights, testModel.name)
const never = new AbortController().signal
const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, n) => sum + value * other[n]!, 0)

describe.skipIf(withoutWeights)('a local model', () => {
  let embedder: LocalEmbedder
  beforeAll(async () => {
    embedder = await openLocalEmbedder(folder, testModel)
  })
  afterAll(() => embedder.close())

  // From onnxruntime and tokenizers of PyPI: the mean of the states of all tokens, normalized to length 1.
  test.each([
    ['a question', 'How do I restore a backup?', [-0.0487, -0.0187, -0.0307, -0.0002]],
    ['other scripts', 'Écrire un fichier — naïve Größe, 日本語!', [-0.0615, 0.0862, 0.0584, -0.0717]],
    ['a text that is too long', 'word '.repeat(400), [-0.0048, -0.0983, -0.039, 0.0511]],
  ])('gives %s the vector of the reference implementation', async (_, text, reference) => {
    const [vector] = await embedder.embed('question', [text], never)
    expect(vector).toHaveLength(384)
    for (const [n, value] of reference.entries()) expect(vector![n]).toBeCloseTo(value, 3)
  })

  test('gives a text the same vector whatever other texts are in the batch, in the order of the texts', async () => {
    const texts = [
      'a long sentence that is padded by nobody and pads others '.repeat(5),
      'one',
      '',
      'two words',
      'one',
    ]
    const together = await embedder.embed('passage', texts, never)
    for (const [n, text] of texts.entries()) {
      const [alone] = await embedder.embed('passage', [text], never)
      expect(dot(together[n]!, alone!)).toBeCloseTo(1, 4)
      expect(dot(alone!, alone!)).toBeCloseTo(1, 5)
    }
  })

  test('does not make a question wait for earlier passages', async () => {
    const long = Array.from({ length: 12 }, (_, n) => `${n} passage of many words `.repeat(30))
    const ended: string[] = []
    const passages = [1, 2].map(() =>
      embedder.embed('passage', long, never).then(() => ended.push('passages')),
    )
    const question = embedder.embed('question', ['why'], never).then(() => ended.push('question'))
    await Promise.all([...passages, question])
    expect(ended).toEqual(['question', 'passages', 'passages'])
  })

  test('gives similar vectors to texts of similar meaning, and to no others', async () => {
    const [question, near, far] = await embedder.embed(
      'passage',
      [
        'How do I restore a backup?',
        'Recovering the database from an earlier dump',
        'The colour of the button can be changed',
      ],
      never,
    )
    expect(dot(question!, near!)).toBeGreaterThan(0.4)
    expect(dot(question!, far!)).toBeLessThan(0.2)
  })

  test('returns a vector for any text', async () => {
    const odd = [
      '\ud800',
      '\udc00x',
      '\0',
      '\n',
      '\u{10ffff}',
      'a'.repeat(100_000),
      '[CLS] [PAD]',
      '__proto__',
    ]
    const check = async (texts: string[]) => {
      for (const vector of await embedder.embed('passage', texts, never))
        expect(dot(vector, vector)).toBeCloseTo(1, 4)
    }
    await check(odd)
    const text = fc.string({ unit: 'binary', maxLength: 60, size: 'max' })
    await fc.assert(fc.asyncProperty(fc.array(text, { maxLength: 4 }), check), { numRuns: 40 })
  })

  test('rejects more than 64 texts, runs nothing without texts, and throws the reason of an abort', async () => {
    await expect(embedder.embed('passage', new Array(65).fill('a'), never)).rejects.toThrow(RangeError)
    expect(await embedder.embed('passage', [], never)).toEqual([])
    const aborted = AbortSignal.abort(new Error('too slow'))
    await expect(embedder.embed('passage', ['a'], aborted)).rejects.toThrow('too slow')
  })

  test('truncates passages to their own limit of tokens', async () => {
    const cutting = await openLocalEmbedder(folder, {
      ...testModel,
      maxTokens: { question: 256, passage: 8 },
    })
    const [long, cut] = await cutting.embed('passage', ['word '.repeat(400), 'word '.repeat(6)], never)
    const [question] = await cutting.embed('question', ['word '.repeat(400)], never)
    await cutting.close()
    expect(dot(long!, cut!)).toBeCloseTo(1, 5)
    expect(dot(question!, cut!)).toBeLessThan(0.99)
  })

  test.each([
    ['question', 16],
    ['passage', 8],
  ] as const)(
    'with the kind %s, runs at most %i calls at once, and rejects others as busy',
    async (kind, max) => {
      const calls = Array.from({ length: max + 2 }, () => embedder.embed(kind, ['why'], never))
      const ends = await Promise.allSettled(calls)
      expect(ends.slice(0, max).map(({ status }) => status)).toEqual(new Array(max).fill('fulfilled'))
      const refused = { status: 'rejected', reason: new ModelError('busy') }
      expect(ends.slice(max)).toEqual([refused, refused])
      expect(await embedder.embed(kind, ['why'], never)).toHaveLength(1)
    },
  )
})

describe('invalid model files', () => {
  const broken = createFolder()

  test.each(['<html>', '{}', '{"model": {"type": "WordPiece", "vocab": []}}', 'null'])(
    'names the tokenizer %s',
    async (content) => {
      await writeFile(join(broken, 'tokenizer.json'), content)
      await expect(openLocalEmbedder(broken, testModel)).rejects.toThrow(
        /tokenizer\.json is not the tokenizer/,
      )
    },
  )

  test.skipIf(withoutWeights)(
    'names weights that are truncated, of another shape, or something else',
    async () => {
      await copyFile(join(folder, 'tokenizer.json'), join(broken, 'tokenizer.json'))
      const complete = await readFile(join(folder, 'model.onnx'))
      for (const content of [complete.subarray(0, 1_000_000), Buffer.from('<html>'), Buffer.alloc(0)]) {
        await writeFile(join(broken, 'model.onnx'), content)
        await expect(openLocalEmbedder(broken, testModel)).rejects.toThrow(
          /model\.onnx is not an embedding model of 384/,
        )
      }
      await writeFile(join(broken, 'model.onnx'), complete)
      await expect(openLocalEmbedder(broken, { ...testModel, dimensions: 512 })).rejects.toThrow(
        /model\.onnx is not an embedding model of 512 dimensions: its vectors have 384 dimensions/,
      )
    },
  )
})
