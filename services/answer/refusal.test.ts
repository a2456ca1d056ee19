import { expect, test } from 'vitest'
import { ownWords } from './own-words.ts'
import type { QuestionLanguage } from './question-language.ts'
import { isRefusal, toRefusal } from './refusal.ts'

test('names the nearest pages as links', () => {
  const text = toRefusal([{ title: 'Getting started', url: 'https://docs.test/start#a' }], 'en')
  expect(text).toContain('nothing about this in this documentation')
  expect(text).toContain('- [Getting started](https://docs.test/start#a)')
})

test('a title is no Markdown', () => {
  const title = '](https://evil.example) ![x](https://evil.example/i) <img src=x>'
  expect(toRefusal([{ title, url: 'https://docs.test/(a)' }], 'en')).toContain(
    '- [\\](https://evil.example) \\!\\[x\\](https://evil.example/i) \\<img src=x\\>](https://docs.test/%28a%29)',
  )
})

test('says so where nothing is near', () => {
  expect(toRefusal([], 'en')).toBe('I found nothing about this in this documentation.')
})

test.each(Object.keys(ownWords) as QuestionLanguage[])('a refusal in %s is known for one', (language) => {
  const nearest = [{ title: 'Start', url: 'https://docs.test/start' }]
  expect(isRefusal(toRefusal(nearest, language))).toBe(true)
  expect(toRefusal(nearest, language)).toContain('[Start](https://docs.test/start)')
})

test('an answer is no refusal', () => {
  expect(isRefusal('Nothing is lost [1].')).toBe(false)
})
