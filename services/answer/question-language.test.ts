import { expect, test } from 'vitest'
import { languageOfQuestion } from './question-language.ts'

test.each([
  ['How do I create a project?', 'en'],
  ['pg_dump options', 'en'],
  ['', 'en'],
  ['asyncio.create_task', 'en'],
  ['What does the die() function do in PHP?', 'en'],
  ['Is es6 supported, or do I need babel?', 'en'],
  ['Wie lege ich ein Projekt an?', 'de'],
  ['Was kostet das im Jahr?', 'de'],
  ['Warum wird meine Seite nicht gefunden', 'de'],
  ['Comment créer un index sur une table ?', 'fr'],
  ["Qu'est-ce que l'index et à quoi ça sert dans ce projet ?", 'fr'],
  ['¿Cómo puedo crear un índice en una tabla?', 'es'],
  ['¿Qué es el plan de consulta?', 'es'],
  ['Come posso creare un indice per la tabella?', 'it'],
  ['Como faço para criar um índice em uma tabela?', 'pt'],
  ['O que é isso e como posso usar?', 'pt'],
  ['Hoe maak ik een index op een tabel?', 'nl'],
  ['Waarom werkt het niet met deze instelling?', 'nl'],
  ['インデックスの作り方は？', 'ja'],
  ['Python でファイルを読む', 'ja'],
  ['如何创建索引？', 'zh'],
])('%s: %s', (question, language) => {
  expect(languageOfQuestion(question)).toBe(language)
})
