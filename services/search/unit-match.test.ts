import { expect, it } from 'vitest'
import { toUnit } from '../../test/contract/search-index.suite.ts'
import type { Unit } from '../index/search-index.ts'
import { toUnits } from '../index/units.ts'
import { type Group, type ParsedQuery, toQualifiedName } from './understand.ts'
import { matchUnit, toLookup } from './unit-match.ts'

const page = { uuid: 'u', version: 1, url: 'https://docs.example.org/', sourceType: 'site' as const }

/** Returns how close together a unit of this text has the words. */
function proximityOf(text: string, words: string[]): number {
  const section = { kind: 'heading' as const, anchor: null, heading: 'H', path: [] }
  const content = {
    ...{ title: 'T', language: 'en', docVersion: null, boost: 1, keywords: [], links: [] },
    sections: [{ ...section, blocks: [{ kind: 'paragraph' as const, text }] }],
  }
  const [unit] = toUnits(page, content)
  const groups = words.map((word) => ({ alternatives: new Map([[word, 1]]), isStop: false })) as Group[]
  return matchUnit(unit as Unit, { groups, names: [] as string[] } as ParsedQuery, toLookup(groups)).proximity
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

it.each([
  ['Class HashMap<K,V>', [], 'public V computeIfAbsent(K key, Function<K,V> f)', 'HashMap.computeIfAbsent'],
  ['Class HashMap<K,V>', [], 'public V computeIfAbsent(K key, Function<K,V> f)', 'HashMap#computeIfAbsent'],
  ['Class: YARD::Registry', ['Class Methods'], '.load(files = []) ⇒ Registry', 'Registry.load'],
  ['tide::Cell Class Reference', [], 'const ftype & volume () const', 'tide::Cell::volume'],
  ['Reference', ['Context', 'Methods'], 'json', 'Context.json'],
])('knows, on %s below %j, %s as %s', (pageTitle, path, heading, q) => {
  const names = (asked: string) =>
    matchUnit(unit, { groups: [], names: [toQualifiedName(asked)] } as never, none)
  const none = toLookup([])
  const unit = toUnit(1, '', { kind: 'definition', pageTitle, path, heading })
  // A name that is qualified already is not named by its page, too.
  const own = toUnit(1, '', {
    kind: 'definition',
    pageTitle,
    path,
    heading: `Other.${heading.split(/\W/u)[0]}`,
  })
  expect(matchUnit(own, { groups: [], names: [toQualifiedName(q)] } as never, none).isNamed).toBe(false)
  expect([names(q).isNamed, names(`Other.${q.split(/\W+/u).at(-1)}`).isNamed]).toEqual([true, false])
})

it.each(['spring', 'spring(high, low)', 'spring [number | string]'])(
  'covers the heading %s by its name',
  (heading) => {
    const groups = [{ alternatives: new Map([['spring', 1]]), isStop: false }] as unknown as Group[]
    const query = { groups, names: [] as string[] } as unknown as ParsedQuery
    expect(matchUnit(toUnit(1, '', { heading }), query, toLookup(groups)).headingCovered).toBe(1)
  },
)

it.each([
  ['Class Gate<T>', 'org/tide/Gate.html', 'gate', 1],
  ['Function gate', 'functions/tide.gate.html', 'gate', 1],
  ['Interface Wall.Gate', 'Wall.Gate.html', 'wall.gate', 1],
  ['Tide_Gate Class Reference', 'classTide__Gate.html', 'tide_gate', 1],
  ['tide::Gate Struct Reference', 'structtide_1_1Gate.html', 'tide::gate', 1],
  ['TideGate Class', 'tidegate.html', 'tidegate', 1],
  ['Gate Overview', 'gate/overview', 'overview', 0.5],
  ['3.1. Gate', 'gates.html', 'gate', 1],
  ['2.31.0 (2023-05-22)', 'history.html', '2.31.0', 0.5],
  ['3.12 Release Notes', 'whatsnew.html', '3.12', 1 / 3],
  ['2.4 — Faster gates', 'history.html', '2.4', 1],
  ['Gate control', 'gate-control.html', 'gate', 0.5],
  ['Open Gate', 'OpenGate.html', 'gate', 0.5],
])('covers the title %s of %s by %s: %d', (pageTitle, path, word, covered) => {
  const groups = [{ alternatives: new Map([[word, 1]]), isStop: false }] as unknown as Group[]
  const query = { groups, names: [] as string[] } as unknown as ParsedQuery
  const unit = toUnit(1, '', { pageTitle, heading: pageTitle, url: `https://docs.example.org/${path}` })
  expect(matchUnit(unit, query, toLookup(groups))).toMatchObject({
    titleCovered: covered,
    headingCovered: covered,
  })
})
