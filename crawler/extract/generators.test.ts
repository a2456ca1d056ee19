// Pages made by the real documentation generators give the sections that their sources say, written down by hand.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extract } from './extract.ts'
import type { Section } from './page.ts'

interface ExpectedSection extends Omit<Section, 'blocks'> {
  /** Pieces of its text, lists and tables in the form blocks have. */
  has: string[]
  lacks?: string[]
  /** Its code blocks, all and whole. */
  code?: string[]
}

interface Expected {
  language: string | null
  version?: string
  /** What occurs on no page: navigation, signs, footers. */
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
