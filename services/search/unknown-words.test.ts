import { expect, it } from 'vitest'
import { unknownWords } from './unknown-words.ts'

const terms = ['connect', 'git', 'proxy', 'run', 'server', 'style', 'task'].sort()
const counts = Uint32Array.from(terms, () => 3)
const vocabulary = { units: 10, terms, counts, inHeadings: counts }
const unknown = (q: string) => unknownWords(q, vocabulary)

it('names what no page holds, folded, in its order, once', () => {
  expect(unknown('Does Zookeeper run a task on Grafana or on zookeeper?')).toEqual(['zookeeper', 'grafana'])
})

it('knows other forms of a word, and compounds by their parts', () => {
  expect(unknown('running tasks, connected to git-style servers')).toEqual([])
  expect(unknown('git-flow or TaskServer?')).toEqual(['git-flow', 'taskserver'])
})

it('leaves out what any question may hold: little words, numbers, ideographs', () => {
  expect(unknown('How is it with the 3 proxies, 42.5 parsecs? 設定')).toEqual(['parsecs'])
  expect(unknown('')).toEqual([])
})
