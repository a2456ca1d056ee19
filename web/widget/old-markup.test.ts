// Markup of sites that used the hosted service, compared with the package that it publishes.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { strings as german } from '../strings/de.ts'
import { oldAttributes, oldProperties, translate } from './old-attributes.ts'
import { listOldAttributes, reportOldMarkup } from './old-report.ts'

const elements = ['biel-search-button', 'biel-search', 'biel-button', 'biel-bot']

function readPublished(path: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`biel-search/dist/collection/${path}`)), 'utf8')
}

function read(name: string, attributes: Record<string, string>) {
  return translate(name, (each) => attributes[each] ?? null)
}

describe('old markup', () => {
  test('lists every attribute of the published elements, and no other', () => {
    const published = elements.flatMap((name) => {
      const source = readPublished(`components/${name}/${name}.js`)
      return [...source.matchAll(/"attribute": "([^"]+)"/g)].map(([, attribute]) => attribute!)
    })
    expect(Object.keys(oldAttributes).sort()).toEqual([...new Set(published)].sort())
  })

  test('sets texts that the widget has', () => {
    for (const effect of Object.values(oldAttributes)) {
      if (typeof effect === 'string' || !('text' in effect)) continue
      const [group, key] = effect.text.split('.')
      expect(german, effect.text).toHaveProperty([group!, key!])
    }
  })

  test('maps 40 or more published custom properties to properties that the widget reads', () => {
    const published = elements.map((name) => readPublished(`components/${name}/${name}.css`)).join('')
    const own = ['../tokens.css', '../tokens-text.css', 'shell.css']
      .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
      .join('')
    const sheet = readDefaults()
    expect(Object.keys(oldProperties).length).toBeGreaterThanOrEqual(40)
    for (const [name, [target]] of Object.entries(oldProperties)) {
      expect(sheet.has(name) || published.includes(name), name).toBe(true)
      if (target.startsWith('--')) expect(own).toContain(target)
    }
  })

  test('does not read defaults of the published style sheet as choices of the site', () => {
    const sheet = readDefaults()
    for (const [name, [, ...defaults]] of Object.entries(oldProperties)) {
      expect(defaults, name).toEqual(expect.arrayContaining([...(sheet.get(name) ?? [])]))
    }
  })

  test('translates attributes to those of Lectern', () => {
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
  ])('%s %j becomes %s', (old, given, name, variant) => {
    const shown = read(old, given)
    expect([shown.name, shown.attributes.variant]).toEqual([name, variant])
  })

  test('reads questions from a comma-separated list and from JSON', () => {
    const questions = '["How, and why?", "What is new?"]'
    expect(read('biel-bot', { 'suggested-questions': questions }).attributes.suggestions).toBe(
      'How, and why?|What is new?',
    )
  })

  test.each([
    [{ 'api-key': 'UZ6t1' }, ['api-key']],
    [{ 'api-key': 'lec_1' }, []],
    [{ 'api-url': 'https://app.biel.ai/api/v1' }, ['api-url']],
    [{ 'api-url': 'https://docs.biel.ai.example.com/api/v1' }, []],
    [
      { 'hide-close-button': 'true', 'mcp-server-url': 'https://mcp.biel.ai/v2' },
      ['hide-close-button', 'mcp-server-url'],
    ],
    [{ 'hide-close-button': 'false' }, []],
  ])('%j: ignores and reports %j', (given, refused) => {
    const { attributes, refused: found } = read('biel-button', given)
    expect(found).toEqual(refused)
    for (const name of refused) expect(attributes).not.toHaveProperty(name)
  })

  test('reports pasted markup attribute by attribute', () => {
    const markup = `<script type="module" src="https://cdn.example/biel-search.esm.js"></script>
      <biel-button project="guide" header-title='A > B' hide-icon
        stacked=true api-key="UZ6t1" onclick="x()">Ask</biel-button>
      return <biel-search project={id} clean-titles/>`
    expect(
      reportOldMarkup(markup).map(({ element, attribute, value, effect, note }) =>
        [element, attribute, value, effect, note].join(' | '),
      ),
    ).toEqual([
      'biel-button | project | guide | honored | `project`',
      'biel-button | header-title | A > B | honored | `heading`',
      'biel-button | hide-icon |  | honored | `hide`: `icon`',
      'biel-button | stacked | true | none | ',
      'biel-button | api-key | UZ6t1 | refused | a key that does not begin with `lec_` belongs to another service, and is not sent',
      'biel-button | onclick | x() | unknown | ',
      'biel-search | project | {id} | honored | `project`',
      'biel-search | clean-titles |  | none | ',
    ])
  })

  test('has the table of attributes in the manual', () => {
    const manual = readFileSync(new URL('../../manual/existing-widget.md', import.meta.url), 'utf8')
    const rows = manual.split('\n').filter((line) => /^\| `[a-z0-9-]+` \| .* \|$/.test(line))
    expect(rows.filter((row) => listOldAttributes().includes(row))).toEqual(listOldAttributes())
  })

  test('shows filters only if the markup requests them', () => {
    expect(read('biel-search-button', {}).attributes.hide).toBe('filters')
    expect(read('biel-search-button', { 'hide-filters': 'false' }).attributes.hide).toBeUndefined()
  })
})

/** The values of each custom property in the published style sheet, with variables filled in. */
function readDefaults(): Map<string, Set<string>> {
  const sheet = readPublished('../biel-search/biel-search.css')
  const blocks = [...sheet.matchAll(/(:root|\[data-theme='dark'\])\{([^{}]*)\}/g)].map(
    ([, , body]) => new Map(body!.split(';').map((each) => each.split(/:(.*)/s) as [string, string])),
  )
  const [light] = blocks
  const found = new Map<string, Set<string>>()
  for (const block of blocks) {
    const all = new Map([...light!, ...block])
    const fill = (value: string): string =>
      value.replace(/var\((--[\w-]+)\)/g, (_, name) => fill(all.get(name) ?? ''))
    for (const [name, value] of all) found.set(name, (found.get(name) ?? new Set()).add(fill(value)))
  }
  return found
}
