import { describe, expect, it, test } from 'vitest'
import { ownLanguages, ownWords, toOwnAnswer } from './own-words.ts'
import { languageOfQuestion } from './question-language.ts'
import { toSmallTalk } from './small-talk.ts'

const start = { title: 'Getting started', url: 'https://docs.test/start#a' }

describe('toOwnAnswer', () => {
  it('names the nearest sections as links, or none', () => {
    expect(toOwnAnswer('refused', [start], 'en')).toBe(
      `${ownWords.en.refused}\n\n${ownWords.en.nearest}\n\n- [Getting started](https://docs.test/start#a)`,
    )
    expect(toOwnAnswer('refused', [], 'fr')).toBe(ownWords.fr.refused)
    expect(toOwnAnswer('pointed', [start], 'de')).toMatch(/^Eine klare Antwort.*\n\n- \[Getting started\]/u)
  })

  it('makes no Markdown of a title', () => {
    const title = '](https://evil.example) ![x](https://evil.example/i) <img src=x>'
    expect(toOwnAnswer('refused', [{ title, url: 'https://docs.test/(a)' }], 'en')).toContain(
      '- [\\](https://evil.example) \\!\\[x\\](https://evil.example/i) \\<img src=x\\>](https://docs.test/%28a%29)',
    )
  })
})

test.each([
  ['How do I create a project?', 'en'],
  ['What does the die() function do in PHP?', 'en'],
  ['', 'en'],
  ['asyncio.create_task', 'en'],
  ['Wie lege ich ein Projekt an?', 'de'],
  ['Was kostet das im Jahr?', 'de'],
  ['Warum wird meine Seite nicht gefunden', 'de'],
  ['Comment créer un index sur une table ?', 'fr'],
  ['Quelle est la capitale de la France ?', 'fr'],
  ['¿Cómo puedo crear un índice en una tabla?', 'es'],
  ['Come posso creare un indice?', 'it'],
  ['Como posso criar um índice na tabela?', 'pt'],
  ['Hoe maak ik een index aan?', 'nl'],
  ['設定を保存する方法', 'ja'],
  ['如何创建索引', 'zh'],
])('%s is %s', (question, language) => {
  expect(languageOfQuestion(question)).toBe(language)
})

test('what is too short to tell is in the language of the pages', () => {
  expect(languageOfQuestion('pg_dump', 'de')).toBe('de')
  expect(languageOfQuestion('pg_dump', 'tlh')).toBe('en')
  for (const question of ['pip install', 'install plugin', 'restore a dump', 'configure proxy'])
    expect(languageOfQuestion(question), question).toBe('en')
})

test.each([
  ['Hi', 'greeting', 'en'],
  ['hello there!', 'greeting', 'en'],
  ['Thanks!', 'welcome', 'en'],
  ['Danke schön :)', 'welcome', 'de'],
  ["Merci d'avance !", 'welcome', 'fr'],
  ['¡Buenos días!', 'greeting', 'es'],
  ['こんにちは！', 'greeting', 'ja'],
  ['谢谢！', 'welcome', 'zh'],
] as const)('%s is answered in kind', (message, answer, language) => {
  expect(toSmallTalk(message)).toBe(ownWords[language][answer])
})

test.each(['', '???', 'hi, how do I start?', 'hello world', '你好世界', 'Wie sage ich Danke'])(
  '%s asks for something',
  (message) => {
    expect(toSmallTalk(message)).toBeNull()
  },
)

test('every language has every sentence', () => {
  for (const language of ownLanguages)
    expect(Object.values(ownWords[language]).filter((sentence) => sentence.trim() === '')).toEqual([])
})
