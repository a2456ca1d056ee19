import { expect, it, test } from 'vitest'
import { readLanguages } from '../../test/read-languages.ts'
import { toSectionLinks } from './compose-answer.ts'
import { chooseLanguage, createReadLanguages, languages, replies, toReply } from './replies.ts'

const start = '- [Getting started](https://docs.test/start#a)'

test('links three sections, each once, with their first sentences', () => {
  const passage = (at: number) => ({
    ...{ label: at, title: `Section ${at}`, url: `https://docs.test/${at}`, score: 1 },
    text: 'This sentence says what the whole section is about. And another.',
  })
  const passages = [0, 1, 1, 2, 3].map(passage)
  const links = [0, 1, 2].map(
    (at) => `- [Section ${at}](https://docs.test/${at}): This sentence says what the whole section is about.`,
  )
  expect(toSectionLinks(passages, 3)).toEqual(links)
  expect(toSectionLinks(passages, 3, new Set(['https://docs.test/0']))).toEqual([
    links[1],
    links[2],
    expect.stringContaining('Section 3'),
  ])
})

it('toReply links the nearest sections, if any', () => {
  expect(toReply('refused', [start], 'en')).toBe(`${replies.en.nearest}\n\n${start}`)
  expect(toReply('refused', [], 'fr')).toBe(replies.fr.refused)
  expect(toReply('pointed', [start], 'de')).toMatch(/^Ich bin nicht sicher.*\n\n- \[Getting started\]/u)
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

test('uses the language of the conversation, or of the pages, for a text too short to detect', async () => {
  expect(chooseLanguage(await readLanguages(['pg_dump', 'Wie lege ich ein Projekt an?']), 'fr')).toBe('de')
  expect(chooseLanguage(await readLanguages(['pg_dump']), 'de')).toBe('de')
  expect(chooseLanguage(await readLanguages(['pg_dump']), 'tlh')).toBe('en')
  for (const question of ['pip install', 'install plugin', 'restore a dump', 'configure proxy'])
    expect(chooseLanguage(await readLanguages([question])), question).toBe('en')
})

test('has every sentence in every language', () => {
  for (const language of languages)
    expect(
      Object.values(replies[language])
        .flat()
        .filter((sentence) => sentence.trim() === ''),
    ).toEqual([])
})

test('reports a failing detector, and uses the language of the pages', async () => {
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
