// Languages: each has every text, with the placeholders of the English one.
import { expect, test } from 'vitest'
import { withAskStrings } from '../components/ask-texts.ts'
import { loadTexts } from '../components/texts.ts'
import { strings as search } from './en.ts'
import { strings as ask } from './en-ask.ts'
import { strings as failures } from './en-failures.ts'

const names = (text: unknown) =>
  [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test.each(['de', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'zh'])(
  '%s has the placeholders of English',
  async (language) => {
    const loaded = await loadTexts([`${language}-XX`, 'en'])
    const texts = { ...loaded.strings, ...withAskStrings(loaded) }
    expect(texts.language).toBe(language)
    for (const [group, members] of Object.entries({ ...search, ...ask, ...failures })) {
      for (const [key, text] of Object.entries(members)) {
        const mine = (texts as unknown as Record<string, Record<string, unknown>>)[group]?.[key]
        const unique = (value: unknown) => [...new Set(names(value))]
        expect([group, key, unique(mine)]).toEqual([group, key, unique(text)])
      }
    }
  },
)

test('falls back to English', async () => {
  expect((await loadTexts(['tlh', 'constructor'])).language).toBe('en')
})
