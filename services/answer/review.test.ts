import { describe, expect, it } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import { createReview } from './review.ts'

const passage = (at: number, other: Partial<Passage> = {}): Passage => ({
  unit: `p${at}:1:0`,
  page: `p${at}`,
  url: `https://x.org/p${at}.html#a`,
  pageTitle: `Page ${at}`,
  title: `A longer section ${at}`,
  path: [],
  text: 'Tasks run side by side.',
  contentHash: '',
  score: 0.8 - at / 100,
  coverage: 1,
  lacks: [],
  similarity: null,
  ...other,
})
const model = 'local:all-minilm-l6-v2'
const question = 'How do workers run tasks in parallel?'
const words = ['workers', 'run', 'tasks', 'parallel']
const found = (passages: Passage[], unknownWords: string[] = []): Passages => ({
  ...{ q: question, corrections: [] },
  passages,
  words,
  unknownWords,
  units: 5_000,
  language: null,
  model: passages.some(({ similarity }) => similarity !== null) ? model : null,
})
/** Similarity of each word of the question to the question, which is about tasks. */
const nearness = [0.5, 0.2, 0.6, 0.4]
const review = createReview(async ([pair]) => {
  expect(pair).toEqual({ text: question, others: words })
  return [nearness]
})
const judge = (passages: Passages) => review(question, passages)
const verdict = async (passages: Passages) => (await judge(passages)).verdict
const probability = async (passages: Passages) => (await judge(passages)).probability

describe('review', () => {
  it('chooses the best passages above a score, within the budget, and none without text', async () => {
    const many = Array.from({ length: 20 }, (_, at) => passage(at))
    expect(await judge(found(many))).toMatchObject({ verdict: 'answerable', passages: many.slice(0, 8) })
    const long = many.map((each) => ({ ...each, text: 'x'.repeat(5_000) }))
    expect((await judge(found(long))).passages).toEqual(long.slice(0, 2))
    const huge = [passage(0, { text: 'x'.repeat(50_000) })]
    expect((await judge(found(huge))).passages).toEqual(huge)
    const poor = [passage(0), passage(1, { score: 0.2 })]
    expect((await judge(found(poor))).passages).toEqual([poor[0]])
    const empty = [passage(0, { text: '…' }), passage(1)]
    expect((await judge(found(empty))).passages).toEqual([empty[1]])
  })

  it('only points to sections if none has text', async () => {
    const bare = found([passage(0, { text: '' })])
    expect(await judge(bare)).toMatchObject({ verdict: 'pointed', passages: [] })
  })

  it('points to sections from a probability of .25, and answers from .5', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 101 }, (_, at) => judge(found([passage(0, { coverage: at / 100 })], ['workers']))),
    )
    for (const { verdict, probability } of verdicts) {
      expect(verdict).toBe(probability >= 0.5 ? 'answerable' : probability >= 0.25 ? 'pointed' : 'refused')
    }
    expect(new Set(verdicts.map(({ verdict }) => verdict)).size).toBe(3)
  })

  it('answers from .6 if the pages are in a language to which no weights were fitted', async () => {
    const passages = Array.from({ length: 101 }, (_, at) => [passage(0, { coverage: at / 100 })])
    const judgeAll = (language: string) =>
      Promise.all(passages.map((each) => judge({ ...found(each, ['workers']), language })))
    const [fitted, other, third] = await Promise.all(['fr', 'pt', 'ja'].map(judgeAll))
    const isBetween = ({ probability: p }: { probability: number }) => p >= 0.5 && p < 0.6
    expect(fitted!.filter(isBetween).map(({ verdict }) => verdict)).toContain('answerable')
    expect(other).toEqual(fitted!.map((each) => (isBetween(each) ? { ...each, verdict: 'pointed' } : each)))
    expect(third).toEqual(other)
  })

  it('refuses if nothing was found, or nothing found matches the question', async () => {
    expect(await judge(found([]))).toEqual({ verdict: 'refused', probability: 0, passages: [] })
    const far = { coverage: 0.1, lacks: ['workers', 'run', 'tasks'] }
    expect(await verdict(found([passage(0, far)], ['zorp']))).toBe('refused')
    expect(await verdict(found([passage(0, { ...far, similarity: 0.1 })]))).toBe('refused')
  })

  it('lowers the probability for each word of the question that no page has', async () => {
    const of = (unknown: string[]) => probability(found([passage(0, { coverage: 0.6 })], unknown))
    expect(await of(['frobnicator'])).toBeLessThan(await of([]))
    expect(await of(['frobnicator', 'zorp'])).toBeLessThan(await of(['frobnicator']))
  })

  it('weighs an unknown word less if there are few pages', async () => {
    const one = found([passage(0, { coverage: 0.6, similarity: 0.5 })], ['workers'])
    expect(await probability({ ...one, units: 10 })).toBeGreaterThan(await probability(one))
  })

  it('without a model, lowers the probability the more pages there are, even if all words are known', async () => {
    const known = found([passage(0, { coverage: 0.6 })])
    const [few, many] = await Promise.all([10, 5_000].map((units) => probability({ ...known, units })))
    expect(few).toBeGreaterThan(many!)
    const near = found([passage(0, { coverage: 0.6, similarity: 0.5 })])
    expect(await probability({ ...near, units: 10 })).toBe(await probability(near))
  })

  it('judges by the best passage, even if another is more similar or has more words', async () => {
    const best = passage(1, { similarity: 0.6, coverage: 0.7 })
    const others = [
      passage(0, { similarity: 0.3, coverage: 0.8 }),
      passage(2, { similarity: 0.61, coverage: 0 }),
    ]
    expect(await probability(found([...others, best]))).toBe(
      await probability(found([others[0]!, passage(3, { similarity: 0, coverage: 0 }), best])),
    )
    expect(await probability(found([...others, best]))).toBeGreaterThan(await probability(found(others)))
  })

  it('judges by meaning with a model: matching words are not enough, and few matching words are acceptable', async () => {
    const few = { coverage: 0.35, lacks: ['run'] }
    expect(await verdict(found([passage(0, { ...few, similarity: 0.8 })]))).toBe('answerable')
    expect(await verdict(found([passage(0, { ...few, similarity: 0.1 })]))).toBe('pointed')
  })

  it('lowers the probability the more the question is about a word that the first four passages lack', async () => {
    const lacking = (...lacks: string[]) => passage(0, { similarity: 0.5, coverage: 0.4, lacks })
    const of = (...passages: Passage[]) => probability(found(passages))
    expect(await of(lacking('run'))).toBeLessThan(await of(lacking()))
    expect(await of(lacking('workers'))).toBeLessThan(await of(lacking('run', 'parallel')))
    expect(await of(lacking('run', 'workers'))).toBe(await of(lacking('workers')))
    const four = Array.from({ length: 4 }, () => lacking('tasks'))
    expect(await of(...four.slice(0, 3), lacking())).toBe(await of(lacking()))
    expect(await of(...four, lacking())).toBe(await of(...four))
  })

  it('expects fewer words of a long question in one passage', async () => {
    const few = found([passage(0, { coverage: 0.3 })])
    const long = `${question} And which scheduler starts pools, queues and timers?`
    expect((await createReview(async () => null)(long, few)).probability).toBeGreaterThan(
      await probability(few),
    )
  })

  it('judges by words if the model has no known scale or does not answer', async () => {
    const passages = [
      passage(0, { similarity: 0.85, coverage: 0.1, lacks: words }),
      passage(1, { similarity: 0.84, coverage: 0.9 }),
    ]
    const byWords = await probability(found(passages.map((each) => ({ ...each, similarity: null }))))
    expect(await judge({ ...found(passages), model: 'm' })).toMatchObject({
      verdict: 'answerable',
      probability: byWords,
    })
    const late = createReview(async () => null)
    expect((await late(question, found(passages))).probability).toBe(byWords)
    const near = found([passage(0, { coverage: 0.05, similarity: 0.9 })])
    expect(await verdict(near)).toBe('answerable')
    expect(await verdict({ ...near, model: 'openai-compatible:e5' })).not.toBe('answerable')
  })

  it('judges the multilingual model by its own scale behind an endpoint, too', async () => {
    const near = found([passage(0, { coverage: 0.3, similarity: 0.9 })])
    const [local, endpoint, other] = await Promise.all(
      [
        'local:multilingual-e5-small',
        'openai-compatible:intfloat/multilingual-e5-small',
        'openai-compatible:e5',
      ].map((name) => probability({ ...near, model: name })),
    )
    expect(endpoint).toBe(local)
    expect(other).not.toBe(local)
  })
})
