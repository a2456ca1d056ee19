import { describe, expect, it } from 'vitest'
import { createForms, unknownWords } from './forms.ts'
import type { Vocabulary } from './vocabulary.ts'

const toVocabulary = (words: string): Vocabulary => {
  const terms = words.split(' ').sort()
  const counts = Uint32Array.from(terms, () => 3)
  return { units: 10, terms, counts, inHeadings: counts }
}

describe('forms', () => {
  const german = toVocabulary('aufgabe aufgaben installation installieren loschen wartung wartungsplan')

  it('are those of the language of the question', () => {
    const forms = createForms('Wie installiere ich das?', german)
    expect(forms.of('installiere')).toEqual(['installieren'])
    expect(forms.of('aufgabe')).toEqual(['aufgabe', 'aufgaben'])
    expect(forms.of('deinstalliere')).toEqual([])
    expect(createForms('How do I install it?', german).of('aufgabe')).toEqual([])
  })

  it.each(['Как изменить сочетание клавиш?', 'сочетание клавиш'])('are Russian in %s', (q) => {
    const russian = toVocabulary('клавиатура клавиш клавишами клавиши сочетание')
    expect(createForms(q, russian).of('клавиш')).toEqual(['клавиш', 'клавишами', 'клавиши'])
  })

  it('split a compound into two words if pages have both', () => {
    const { split } = createForms('Wie werden die Wartungsaufgaben erledigt?', german)
    expect(split('wartungsaufgaben')).toEqual(['wartungs', 'aufgaben'])
    expect(split('gartenaufgaben')).toBeNull()
    expect(split('a'.repeat(100))).toBeNull()
  })

  it('count as known words', () => {
    expect(unknownWords('Wie installiere ich die Wartungsaufgaben im Garten?', german)).toEqual(['garten'])
  })
})

describe('unknown words', () => {
  const vocabulary = toVocabulary('connect git proxy run server style task')
  const unknown = (q: string) => unknownWords(q, vocabulary)

  it('returns words that no page has, folded, in order, once each', () => {
    expect(unknown('Does Zookeeper run a task on Grafana or on zookeeper?')).toEqual(['zookeeper', 'grafana'])
  })

  it('accepts other forms of a word, and compounds by their parts', () => {
    expect(unknown('running tasks, connected to git-style servers')).toEqual([])
    expect(unknown('git-flow or TaskServer?')).toEqual(['git-flow', 'taskserver'])
  })

  it('ignores what any question may have: stop words, numbers, ideographs', () => {
    expect(unknown('How is it with the 3 proxies, 42.5 parsecs? 設定')).toEqual(['parsecs'])
    expect(unknown('')).toEqual([])
  })
})
