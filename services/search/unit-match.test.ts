import { expect, it } from 'vitest'
import type { Unit } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import type { Group, ParsedQuery } from './understand.ts'
import { matchUnit, toLookup } from './unit-match.ts'

const page = { uuid: 'u', version: 1, url: 'https://docs.example.org/', sourceType: 'site' as const }

/** How close together a unit of the text has the words. */
function proximityOf(text: string, words: string[]): number {
  const section = { kind: 'heading' as const, anchor: null, heading: 'H', path: [] }
  const content = {
    ...{ title: 'T', language: 'en', docVersion: null, boost: 1, keywords: [], links: [] },
    sections: [{ ...section, blocks: [{ kind: 'paragraph' as const, text }] }],
  }
  const [unit] = toUnits({ ...page, docVersion: null, language: 'en' }, content)
  const groups = words.map((word) => ({ alternatives: new Map([[word, 1]]), isStop: false })) as Group[]
  return matchUnit(unit as Unit, { groups } as ParsedQuery, toLookup(groups)).proximity
}

it('words that stand together are nearer than words apart', () => {
  const together = proximityOf('one tide harbor two', ['tide', 'harbor'])
  expect(together).toBeGreaterThan(proximityOf('tide one two three harbor', ['tide', 'harbor']))
})

it('the first 300 words of the query in a text tell how near they are', () => {
  const text = (before: number) => `${'tide '.repeat(before)}${'x '.repeat(50)}tide harbor`
  const isNear = (before: number) => proximityOf(text(before), ['tide', 'harbor']) > 0
  expect([isNear(298), isNear(300)]).toEqual([true, false])
})
