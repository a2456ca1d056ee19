import { describe, expect, it } from 'vitest'
import type { Passage, Passages } from '../search/passage.ts'
import { nearestOf, review } from './review.ts'

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
  similarity: null,
  ...other,
})
const model = 'local:all-minilm-l6-v2'
const found = (passages: Passage[], unknownWords: string[] = []): Passages => ({
  passages,
  unknownWords,
  units: 5_000,
  model: passages.some(({ similarity }) => similarity !== null) ? model : null,
})
const question = 'How do workers run tasks in parallel?'
const judge = (passages: Passages) => review(question, passages)
const verdict = (passages: Passages) => judge(passages).verdict

describe('review', () => {
  it('chooses the best passages that are worth it, within the budget, and none without a text', () => {
    const many = Array.from({ length: 20 }, (_, at) => passage(at))
    expect(judge(found(many))).toMatchObject({ verdict: 'answerable', passages: many.slice(0, 8) })
    const long = many.map((each) => ({ ...each, text: 'x'.repeat(5_000) }))
    expect(judge(found(long)).passages).toEqual(long.slice(0, 2))
    const huge = [passage(0, { text: 'x'.repeat(50_000) })]
    expect(judge(found(huge)).passages).toEqual(huge)
    const poor = [passage(0), passage(1, { score: 0.2 })]
    expect(judge(found(poor)).passages).toEqual([poor[0]])
    const empty = [passage(0, { text: '…' }), passage(1)]
    expect(judge(found(empty)).passages).toEqual([empty[1]])
  })

  it('only points to sections where none of them holds a text', () => {
    expect(judge(found([passage(0, { text: '' })]))).toMatchObject({ verdict: 'pointed', passages: [] })
  })

  it('refuses where nothing was found, and where what was found holds nothing of the question', () => {
    expect(judge(found([]))).toEqual({ verdict: 'refused', probability: 0, passages: [] })
    expect(verdict(found([passage(0, { coverage: 0.1 })], ['zorp']))).toBe('refused')
    expect(verdict(found([passage(0, { coverage: 0.1, similarity: 0.1 })]))).toBe('refused')
  })

  it('is the less sure the more words of the question no page holds', () => {
    const of = (unknown: string[]) => judge(found([passage(0, { coverage: 0.6 })], unknown)).probability
    expect(of(['frobnicator'])).toBeLessThan(of([]))
    expect(of(['frobnicator', 'zorp'])).toBeLessThan(of(['frobnicator']))
  })

  it('goes by the passage with the most words where a model says nothing that is known', () => {
    const passages = [
      passage(0, { similarity: 0.85, coverage: 0.1 }),
      passage(1, { similarity: 0.84, coverage: 0.9 }),
    ]
    const byWords = judge(found(passages.map((each) => ({ ...each, similarity: null })))).probability
    expect(judge({ ...found(passages), model: 'm' }).probability).toBe(byWords)
    expect(judge({ ...found(passages), model: 'm' }).verdict).toBe('answerable')
  })

  it('asks meaning where there is a model: near words are not enough, and few are no fault', () => {
    expect(verdict(found([passage(0, { coverage: 0.35, similarity: 0.8 })]))).toBe('answerable')
    expect(verdict(found([passage(0, { coverage: 0.35, similarity: 0.1 })]))).toBe('refused')
  })

  it('counts an unknown word for less where there are few pages', () => {
    const one = found([passage(0, { coverage: 0.6 })], ['workers'])
    expect(judge({ ...one, units: 10 }).probability).toBeGreaterThan(judge(one).probability)
  })

  it('believes no cosines of a model that it does not know', () => {
    const near = found([passage(0, { coverage: 0.05, similarity: 0.9 })])
    expect(verdict(near)).toBe('answerable')
    expect(verdict({ ...near, model: 'openai-compatible:e5' })).not.toBe('answerable')
  })
})

describe('nearestOf', () => {
  it('names three sections, each once', () => {
    expect(nearestOf([0, 1, 1, 2, 3].map((at) => passage(at)))).toEqual(
      [0, 1, 2].map((at) => ({ title: `A longer section ${at}`, url: `https://x.org/p${at}.html#a` })),
    )
  })
})
