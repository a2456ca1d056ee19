import { expect, test } from 'vitest'
import { toCourtesy, withoutCourtesy } from './courtesy.ts'

test.each([
  ['Hi', 'Hello'],
  ['hello there!', 'Hello'],
  ['Good morning.', 'Hello'],
  ['Thanks!', 'welcome'],
  ['ok, thank you very much 🙂'.replace(' 🙂', ''), 'welcome'],
  ['Great, got it', 'welcome'],
  ['Guten Tag!', 'Fragen Sie'],
  ['Vielen Dank im Voraus', 'Gern geschehen'],
  ['Danke schön :)'.replace(' :)', ''), 'Gern geschehen'],
  ['Bonjour à tous', 'Posez-moi'],
  ['Merci beaucoup !', 'vous en prie'],
  ['¡Hola, buenos días!', 'Pregúnteme'],
  ['ok, muchas gracias', 'De nada. Pregúnteme'],
  ['Buongiorno', 'Mi chieda'],
  ['perfetto, grazie mille', 'Prego'],
  ['Olá', 'Pergunte-me'],
  ['Muito obrigada', 'De nada. Pergunte-me'],
  ['Goedemorgen', 'Stel me'],
  ['dank je wel', 'Graag gedaan'],
  ['こんにちは！', 'お尋ねください'],
  ['ありがとうございます。', 'どういたしまして'],
  ['你好', '请随时提问'],
  ['谢谢！', '不客气'],
])('%s', (message, answer) => {
  expect(toCourtesy(message)).toContain(answer)
})

test.each([
  '',
  '???',
  'hi, how do I start?',
  'thanks to what is it fast',
  'morning',
  'ok google',
  'hello world',
  'hi, thanks for what',
  'Danke Merkel',
  '你好世界',
  'Wie sage ich Danke',
])('%s asks for something', (message) => {
  expect(toCourtesy(message)).toBeNull()
})

test.each([
  ['hi, what does X do, thanks', 'what does X do'],
  ['Hello there! How do I start? Thank you very much.', 'How do I start?'],
  ['thanks. and for threads?', 'and for threads?'],
  ['What is X, please?', 'What is X, please?'],
  ['hello world example', 'hello world example'],
  ['How do I say thanks to Bob', 'How do I say thanks to Bob'],
  ['What is X? Thanks!', 'What is X?'],
  ['Guten Tag! Wie heißt die Straße? Danke schön!', 'Wie heißt die Straße?'],
  ['Bonjour, comment créer un index, s’il vous plaît ?', 'comment créer un index, s’il vous plaît ?'],
  ['Hola: ¿cómo creo un índice? Muchas gracias.', '¿cómo creo un índice?'],
  ['Hallo, hoe maak ik een index, alvast bedankt', 'hoe maak ik een index'],
  ['你好，怎么创建索引？谢谢', '怎么创建索引？'],
])('%s', (message, question) => {
  expect(withoutCourtesy(message)).toBe(question)
})
