// The markup of sites that come from the hosted service, against the package that it publishes.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { oldAttributes, oldProperties } from './old-attributes.ts'
import { translate } from './old-markup.ts'

const elements = ['biel-search-button', 'biel-search', 'biel-button', 'biel-bot']

function readPublished(path: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`biel-search/dist/collection/${path}`)), 'utf8')
}

function read(name: string, attributes: Record<string, string>) {
  return translate(name, (each) => attributes[each] ?? null)
}

describe('old markup', () => {
  test('every attribute of the published elements is in the list, and no other', () => {
    const published = elements.flatMap((name) => {
      const source = readPublished(`components/${name}/${name}.js`)
      return [...source.matchAll(/"attribute": "([^"]+)"/g)].map(([, attribute]) => attribute!)
    })
    expect(Object.keys(oldAttributes).sort()).toEqual([...new Set(published)].sort())
  })

  test('custom properties that are translated lead to ones that the widget reads', () => {
    const styles = ['../tokens.css', 'shell.css']
      .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
      .join('')
    for (const property of Object.values(oldProperties)) expect(styles).toContain(property)
  })

  test('attributes become those of Lectern', () => {
    const { name, attributes } = read('biel-button', {
      project: 'guide',
      'api-url': 'https://lectern.example.com/api/v1',
      'header-title': 'Guide AI',
      'button-position': 'bottom-right',
      'suggested-questions': 'How do I begin?, What is new?',
      'sources-text': 'Found in',
      'hide-feedback': 'true',
      'hide-sources': 'false',
      'keep-conversation': 'false',
    })
    expect(name).toBe('lectern-ask')
    expect(attributes).toEqual({
      project: 'guide',
      'api-url': 'https://lectern.example.com/api/v1',
      heading: 'Guide AI',
      variant: 'float',
      position: 'bottom-right',
      suggestions: 'How do I begin?| What is new?',
      strings: '{"answer":{"sources":"Found in"}}',
      hide: 'filters feedback',
      privacy: 'none',
    })
  })

  test.each([
    ['biel-search-button', {}, 'lectern-search', 'button'],
    ['biel-search', {}, 'lectern-search', 'none'],
    ['biel-button', {}, 'lectern-ask', 'button'],
    ['biel-bot', {}, 'lectern-ask', 'none'],
    ['biel-bot', { 'embedded-mode': 'true' }, 'lectern-panel', 'none'],
  ])('%s %j shows %s', (old, given, name, variant) => {
    const shown = read(old, given)
    expect([shown.name, shown.attributes.variant]).toEqual([name, variant])
  })

  test('filters are shown only where the markup says so', () => {
    expect(read('biel-search-button', {}).attributes.hide).toBe('filters')
    expect(read('biel-search-button', { 'hide-filters': 'false' }).attributes.hide).toBeUndefined()
  })
})
