import { expect, test } from 'vitest'
import { toRefusal } from './refusal.ts'

test('names the nearest pages as links', () => {
  const text = toRefusal([{ title: 'Getting started', url: 'https://docs.test/start#a' }])
  expect(text).toContain('nothing about this in this documentation')
  expect(text).toContain('- [Getting started](https://docs.test/start#a)')
})

test('a title is no Markdown', () => {
  const title = '](https://evil.example) ![x](https://evil.example/i) <img src=x>'
  expect(toRefusal([{ title, url: 'https://docs.test/(a)' }])).toContain(
    '- [\\](https://evil.example) \\!\\[x\\](https://evil.example/i) \\<img src=x\\>](https://docs.test/%28a%29)',
  )
})

test('says so where nothing is near', () => {
  expect(toRefusal([])).toBe('I found nothing about this in this documentation.')
})
