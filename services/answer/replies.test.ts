import { describe, expect, it, test } from 'vitest'
import { readLanguages } from '../../test/read-languages.ts'
import { chooseLanguage, createReadLanguages, languages, replies, toReply } from './replies.ts'

const start = { title: 'Getting started', url: 'https://docs.test/start#a' }

describe('toReply', () => {
  it('names the nearest sections as links, or none', () => {
    expect(toReply('refused', [start], 'en')).toBe(
      `${replies.en.nearest}\n\n- [Getting started](https://docs.test/start#a)`,
    )
    expect(toReply('refused', [], 'fr')).toBe(replies.fr.refused)
    expect(toReply('pointed', [start], 'de')).toMatch(/^Ich bin nicht sicher.*\n\n- \[Getting started\]/u)
  })

  it('makes no Markdown of a title', () => {
    const title = '](https://evil.example) ![x](https://evil.example/i) <img src=x>'
    expect(toReply('refused', [{ title, url: 'https://docs.test/(a)' }], 'en')).toContain(
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
])('%s is %s', async (question, language) => {
  expect(chooseLanguage(await readLanguages([question]))).toBe(language)
})

test('what is too short to tell is in the language of the conversation, or of the pages', async () => {
  expect(chooseLanguage(await readLanguages(['pg_dump', 'Wie lege ich ein Projekt an?']), 'fr')).toBe('de')
  expect(chooseLanguage(await readLanguages(['pg_dump']), 'de')).toBe('de')
  expect(chooseLanguage(await readLanguages(['pg_dump']), 'tlh')).toBe('en')
  for (const question of ['pip install', 'install plugin', 'restore a dump', 'configure proxy'])
    expect(chooseLanguage(await readLanguages([question])), question).toBe('en')
})

test('every language has every sentence', () => {
  for (const language of languages)
    expect(
      Object.values(replies[language])
        .flat()
        .filter((sentence) => sentence.trim() === ''),
    ).toEqual([])
})

test('a detector that fails is reported, and the language of the pages holds', async () => {
  const reported: unknown[] = []
  const failing = createReadLanguages(
    async () => {
      throw new Error('away')
    },
    (error) => reported.push(error),
  )
  expect(chooseLanguage(await failing(['Wie lege ich ein Projekt an?']), 'fr')).toBe('fr')
  expect(reported).toEqual([new Error('away')])
})
