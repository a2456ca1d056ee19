// Pages of the real documentation generators have the sections of their sources, written down by hand.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extract } from './extract.ts'
import type { Section } from './page.ts'

interface ExpectedSection extends Omit<Section, 'blocks'> {
  /** Fragments of its text, with lists and tables in the form of blocks. */
  has: string[]
  lacks?: string[]
  /** Its complete code blocks. */
  code?: string[]
}

interface Expected {
  language: string | null
  version?: string
  /** Must occur on no page: navigation, signs, footers. */
  never: string[]
  pages: Record<string, { title: string; sections: ExpectedSection[] }>
}

const fixtures = 'test/fixtures/extract'

function outline({ kind, anchor, heading, also, path }: Omit<Section, 'blocks'>) {
  return { kind, anchor, heading, ...(also && { also }), path }
}

for (const file of globSync(`${fixtures}/expected/*.json`).sort()) {
  const generator = basename(file, '.json')
  const expected: Expected = JSON.parse(readFileSync(file, 'utf8'))
  describe(generator, () => {
    test.each(Object.entries(expected.pages))('%s', (path, { title, sections }) => {
      const html = readFileSync(`${fixtures}/${generator}/${path}`, 'utf8')
      const page = extract(html, `https://docs.example.org/${path}`)
      expect(page.title).toBe(title)
      expect(page.language).toBe(expected.language)
      expect(page.version).toBe(expected.version ?? null)
      expect(page.sections.map(outline)).toEqual(sections.map(outline))
      sections.forEach(({ has, lacks = [], code }, at) => {
        const { blocks } = page.sections[at]!
        const text = blocks.map((block) => block.text).join('\n\n')
        for (const piece of has) expect(text).toContain(piece)
        for (const piece of lacks) expect(text).not.toContain(piece)
        if (code)
          expect(blocks.filter(({ kind }) => kind === 'code').map((block) => block.text)).toEqual(code)
      })
      for (const piece of expected.never) expect(JSON.stringify(page.sections)).not.toContain(piece)
    })
  })
}

describe('a generated index or listing', () => {
  test.each([
    'sphinx-alabaster/genindex.html',
    'sphinx-alabaster/py-modindex.html',
    'javadoc/index-all.html',
    'javadoc/overview-tree.html',
  ])('%s has links and no text', (path) => {
    const { sections, links } = extract(
      readFileSync(`${fixtures}/${path}`, 'utf8'),
      `https://d.example/${path}`,
    )
    expect(sections).toEqual([])
    expect(links.length).toBeGreaterThan(2)
  })

  const sphinx = '<link rel="stylesheet" href="_static/pygments.css">'
  test.each([
    [
      'one letter of it',
      `${sphinx}<h1 id="index">Index – S</h1><table class="indextable"><tr><td>subprocess</table>`,
    ],
    [
      'source code',
      `${sphinx}<h1>Source code for a.b</h1><pre><div class="viewcode-block" id="f"><a class="viewcode-back" href="../a.html#f">[docs]</a>def f(): ...</div></pre>`,
    ],
    ['its search page', `${sphinx}<link rel="search" href="#"><h1>Search</h1><p>Enter your search words.`],
    [
      'an index of DocBook',
      '<meta name="generator" content="DocBook XSL"><div class="index"><h2>Index</h2><dl><dt>subprocess</dl></div>',
    ],
  ])('%s has no text', (_, html) => {
    expect(extract(html, 'https://d.example/x.html').sections).toEqual([])
  })

  test('omits only the entries of an index within other text', () => {
    const html = readFileSync(`${fixtures}/texinfo/Concept-Index.html`, 'utf8')
    expect(JSON.stringify(extract(html, 'https://d.example/x.html').sections)).not.toContain('installation')
  })

  test('a page that links to the index and the search page is not one', () => {
    const html = `${sphinx}<link rel="index" href="genindex.html"><link rel="search" href="search.html"><h1>Guide</h1><p>Words.`
    expect(extract(html, 'https://d.example/x.html').sections).toHaveLength(1)
  })
})
