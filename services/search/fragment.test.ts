import { describe, expect, it } from 'vitest'
import type { Unit } from '../index/search-index.ts'
import { toFragment } from './present.ts'
import type { Group } from './understand.ts'
import { toLookup } from './unit-match.ts'

const unit = (text: string) => ({ text, heading: '', path: [] }) as unknown as Unit
const filler = (count: number) => 'lorem '.repeat(count)

/** Returns the fragment of a text for a query of these words, all equally rare. */
function fragmentOf(text: string, ...words: string[]): string {
  const groups = words.map((word) => ({ alternatives: new Map([[word, 1]]) }))
  return toFragment(unit(text), toLookup(groups as Group[]))
}

describe('a fragment of a long text', () => {
  it('shows the part with the most words of the query', () => {
    const text = `${filler(60)}tide ${filler(60)}tide harbor ${filler(60)}harbor ${filler(60)}`
    expect(fragmentOf(text, 'tide', 'harbor')).toMatch(/^….*tide harbor lorem.*…$/)
  })

  it('prefers two words of the query to one that occurs four times', () => {
    const text = `${filler(60)}tide tide tide tide ${filler(60)}tide harbor ${filler(60)}`
    expect(fragmentOf(text, 'tide', 'harbor')).toContain('tide harbor')
  })

  it('counts repeated words, and takes the first of equal parts', () => {
    const text = `${filler(60)}one tide ${filler(60)}two tide tide ${filler(60)}three tide tide ${filler(60)}`
    expect(fragmentOf(text, 'tide')).toContain('two tide tide')
  })

  it('skips a word longer than a fragment', () => {
    const long = 'x'.repeat(400)
    expect(fragmentOf(`${long} ${filler(60)}tide ${filler(60)}`, long, 'tide')).toContain('tide')
  })

  it('begins with a sentence in Chinese and Japanese, too', () => {
    const text = `${'前文'.repeat(160)}。やがて、潮が満ちる港の話です。${'後文'.repeat(160)}`
    expect(fragmentOf(text, '満ち', '港の')).toMatch(/^…やがて、潮が満ちる港/u)
  })

  it('is the beginning if nothing matches', () => {
    expect(fragmentOf(`Begin ${filler(100)}`, 'tide')).toMatch(/^Begin lorem/)
  })
})
