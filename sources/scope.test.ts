import { expect, test } from 'vitest'
import { createScope, type ScopeSource, type ScopeType } from '../crawler/scope.ts'
import { sitemapType, siteType, urlType } from './web/web-types.ts'

const site = (more: Partial<ScopeSource> = {}, type = siteType) =>
  createScope(
    { url: 'https://d.example/docs/', resolvedUrl: null, include: [], exclude: [], ...more },
    type as ScopeType,
  )

test.each([
  [
    'https://d.example/docs',
    ['/docs', '/docs/', '/docs/a', '/docs/a/b.html'],
    ['/', '/docsx', '/other/docs/'],
  ],
  ['https://d.example/docs/', ['/docs', '/docs/a'], ['/doc', '/docs2/']],
  ['https://d.example/docs/a.html', ['/docs/a.html', '/docs/b', '/docs/c/d'], ['/', '/docsx']],
  ['https://d.example/', ['/', '/a', '/a/b'], []],
  ['https://d.example/docs/3.12', ['/docs/3.12/a'], ['/docs/3.11/a']],
])('a site at %s includes what is below its folder', (url, inside, outside) => {
  const scope = site({ url })
  for (const path of inside) expect([path, scope.admits(new URL(path, url).href)]).toEqual([path, 'in'])
  for (const path of outside) expect([path, scope.admits(new URL(path, url).href)]).toEqual([path, 'out'])
})

test('a site ends at its host and port', () => {
  const scope = site()
  expect(scope.covers('https://www.d.example/docs/a')).toBe(false)
  expect(scope.covers('https://d.example:8443/docs/a')).toBe(false)
  expect(scope.covers('http://d.example/docs/a')).toBe(true)
})

test('moves with a redirect of the start URL', () => {
  const scope = site({ url: 'https://d.example/docs/', resolvedUrl: 'https://new.example/manual/index.html' })
  expect(scope.admits('https://new.example/manual/a')).toBe('in')
  expect(scope.admits('https://d.example/docs/a')).toBe('out')
  expect(scope.admits('https://d.example/docs/')).toBe('in')
})

test('globs exclude covered URLs, but never the start', () => {
  const scope = site({ include: ['/docs/api/**'], exclude: ['**/old/**'] })
  expect(scope.admits('https://d.example/docs/api/a')).toBe('in')
  expect(scope.admits('https://d.example/docs/guide')).toBe('excluded')
  expect(scope.covers('https://d.example/docs/guide')).toBe(true)
  expect(scope.admits('https://d.example/docs/api/old/a')).toBe('excluded')
  expect(scope.admits('https://d.example/docs/')).toBe('in')
  expect(scope.admits('https://other.example/docs/api/a')).toBe('out')
})

test('excludes files without text', () => {
  for (const name of ['a.png', 'a.tar.gz', 'x/app.JS', 'a.woff2', 'a.pdf', 'sitemap.xml']) {
    expect(site().admits(`https://d.example/docs/${name}`)).toBe('out')
  }
  expect(site().admits('https://d.example/docs/v1.2/node.js/')).toBe('in')
})

test('a url is one page, and a sitemap the pages that it lists', () => {
  const page = site({ url: 'https://d.example/a' }, urlType)
  expect(page.admits('https://d.example/a')).toBe('in')
  expect(page.admits('https://d.example/a/b')).toBe('out')
  const sitemap = site({ url: 'https://d.example/sitemap.xml', exclude: ['/x/**'] }, sitemapType)
  expect(sitemap.admits('https://d.example/anything')).toBe('in')
  expect(sitemap.admits('https://d.example/x/y')).toBe('excluded')
})

test('rejects what it cannot read', () => {
  expect(() => site({ url: 'nowhere' })).toThrow('nowhere')
  expect(() => site({ include: ['['] })).toThrow()
})

test('limits the work of globs for one URL, and excludes a URL beyond the limit', () => {
  const exclude = Array.from({ length: 30 }, (_, at) => `/**a${'?'.repeat(300)}x${at}`)
  const scope = site({ url: 'https://d.example/', exclude })
  let random = 1
  const next = () => {
    random = (random * 48_271) % 2_147_483_647
    return random % 2 === 0 ? 'a' : 'b'
  }
  const long = Array.from(
    { length: 100 },
    () => `https://d.example/${Array.from({ length: 1_900 }, next).join('')}`,
  )
  for (const url of long) expect([scope.admits(url), scope.covers(url)]).toEqual(['excluded', true])
  expect(scope.admits('https://d.example/a/page-of-the-manual')).toBe('in')
})
