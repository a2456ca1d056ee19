import { expect, it } from 'vitest'
import type { Unit } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import type { Group, ParsedQuery } from './understand.ts'
import { matchUnit, toLookup } from './unit-match.ts'

const page = { uuid: 'u', version: 1, url: 'https://docs.example.org/', sourceType: 'site' as const }

/** Returns how close together a unit of this text has the words. */
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

it('ranks adjacent words above words apart', () => {
  const together = proximityOf('one tide harbor two', ['tide', 'harbor'])
  expect(together).toBeGreaterThan(proximityOf('tide one two three harbor', ['tide', 'harbor']))
})

it('uses the first 300 occurrences of query words in a text', () => {
  const text = (before: number) => `${'tide '.repeat(before)}${'x '.repeat(50)}tide harbor`
  const isNear = (before: number) => proximityOf(text(before), ['tide', 'harbor']) > 0
  expect([isNear(298), isNear(300)]).toEqual([true, false])
})
