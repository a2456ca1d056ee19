// The manual as served and indexed: complete, linked, and without text that is read as markup.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../services/config.ts'
import { createFolder } from '../test/folder.ts'
import { manualFolder, readManual } from './manual.ts'

const base = 'http://lectern/manual/'
const attributes = (html: string, name: string) =>
  Array.from(html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g')), ([, value]) => value ?? '')

type Texts = Map<string, { contentType: string; body: string }>

/** Files other than pictures. */
const textsOf = (files: Awaited<ReturnType<typeof readManual>>): Texts =>
  new Map(
    [...files].flatMap(([name, { contentType, body }]) =>
      typeof body === 'string' ? [[name, { contentType, body }]] : [],
    ),
  )

describe('the manual of this version', () => {
  let manual: Texts
  let pictures: Map<string, Uint8Array>
  beforeAll(async () => {
    const files = await readManual(manualFolder)
    manual = textsOf(files)
    pictures = new Map(
      [...files].flatMap(([name, { body }]) => (typeof body === 'string' ? [] : [[name, body]])),
    )
  })
  const pages = () => [...manual].filter(([path]) => path !== 'manual.css')

  test('has a start page and about ten more, each with a title, a language and one h1', () => {
    expect(pages().length).toBeGreaterThan(9)
    for (const [path, { contentType, body }] of pages()) {
      expect(contentType, path).toBe('text/html; charset=utf-8')
      expect(body, path).toMatch(/<html lang="en">.*<title>[^<]+<\/title>/s)
      expect(body.match(/<h1/g), path).toHaveLength(1)
    }
  })

  test('has no dead link, nor dead anchor', () => {
    for (const [path, { body }] of pages()) {
      for (const href of attributes(body, 'href').filter((each) => !each.startsWith('data:'))) {
        const url = new URL(href, base + path)
        if (!url.href.startsWith(base)) continue
        const target = manual.get(url.pathname.slice('/manual/'.length))
        expect(target, `${path}: ${href}`).toBeDefined()
        if (url.hash)
          expect(attributes(target?.body ?? '', 'id'), `${path}: ${href}`).toContain(url.hash.slice(1))
      }
    }
  })

  test('has every picture, with a description, and below 100 KB', () => {
    const shown = pages().flatMap(([, { body }]) => attributes(body, 'src'))
    expect([...new Set(shown)].sort()).toEqual([...pictures.keys()].sort())
    for (const [path, { body }] of pages()) {
      expect(attributes(body, 'alt').filter(Boolean), path).toHaveLength(attributes(body, 'src').length)
    }
    for (const body of pictures.values()) expect(body.length).toBeLessThan(100_000)
  })

  test('names every environment variable that is read, and so does .env.example', async () => {
    const names: string[] = []
    readConfig(new Proxy({}, { get: (_, name) => void names.push(String(name)) }))
    const example = await readFile(new URL('../.env.example', import.meta.url), 'utf8')
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) {
      expect(manual.get('configuration.html')?.body).toContain(`<code>${name}</code>`)
      expect(example).toMatch(new RegExp(`^#${name}=`, 'm'))
    }
  })

  test('has unique ids in each page, and every page in the navigation', () => {
    for (const [path, { body }] of pages()) {
      const ids = attributes(body, 'id')
      expect(new Set(ids).size, path).toBe(ids.length)
      for (const [other] of pages()) expect(body, path).toContain(`href="${other || './'}"`)
      expect(body, path).toContain('aria-current="page"')
    }
  })
})

describe('rendering', () => {
  const folder = createFolder()
  let manual: Texts
  beforeAll(async () => {
    await writeFile(join(folder, 'index.md'), '# Start\n\n[B](b.md#two-words) and [A](a.md)\n')
    await writeFile(
      join(folder, 'a.md'),
      '# A <b>\n\n<script>alert(1)</script>\n\nx <i>y</i> [home](index.md)\n',
    )
    await writeFile(join(folder, 'b.md'), '# B\n\n## Two `words`\n\n## Two words\n\n```\n<br>\n```\n')
    manual = textsOf(await readManual(pathToFileURL(`${folder}/`)))
  })

  test('orders pages like the links of the start page', () => {
    expect([...manual.keys()]).toEqual(['', 'b.html', 'a.html', 'manual.css'])
  })

  test('converts links between files to links between pages', () => {
    expect(manual.get('')?.body).toContain('<a href="b.html#two-words">B</a>')
    expect(manual.get('a.html')?.body).toContain('<a href="./">home</a>')
  })

  test('shows raw HTML as text', () => {
    const body = manual.get('a.html')?.body ?? ''
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).toContain('x &lt;i&gt;y&lt;/i&gt;')
    expect(body).toContain('<title>A &lt;b&gt; · Lectern manual</title>')
    expect(manual.get('b.html')?.body).toContain('&lt;br&gt;')
  })

  test('creates different ids for headings of one name', () => {
    expect(attributes(manual.get('b.html')?.body ?? '', 'id')).toEqual(['b', 'two-words', 'two-words-2'])
  })

  test('fails on a page without a heading, with its name', async () => {
    await writeFile(join(folder, 'c.md'), 'no heading\n')
    await expect(readManual(pathToFileURL(`${folder}/`))).rejects.toThrow('c.md has no heading')
  })
})
