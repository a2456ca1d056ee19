import { describe, expect, it, test } from 'vitest'
import labeled from '../../test/bench/conversation/small-talk.json' with { type: 'json' }
import { project as projectRow } from '../../test/contract/store-case.ts'
import { type Language, languages, replies } from './replies.ts'
import { readSmallTalk, replyToSmallTalk } from './small-talk.ts'

const kindOf = (message: string, language: Language = 'en') =>
  readSmallTalk(message, language)?.kind ?? 'question'

test.each(languages)('%s: recognizes small talk, but no questions that look like it', (language) => {
  const messages = Object.entries(labeled[language]).flatMap(([kind, list]) =>
    list.map((message) => ({ message, kind, read: kindOf(message, language) })),
  )
  const wrong = messages.filter(({ kind, read }) => kind !== read)
  expect(wrong.filter(({ kind }) => kind === 'question')).toEqual([])
  expect(1 - wrong.length / messages.length, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.9)
})

describe('readSmallTalk', () => {
  it.each([
    ['Hi', 'hello', 'en'],
    ['Danke schön :)', 'thanks', 'de'],
    ["Merci d'avance !", 'thanks', 'fr'],
    ['¡Buenos días!', 'hello', 'es'],
    ['こんにちは！', 'hello', 'ja'],
    ['你好，谢谢！', 'thanks', 'zh'],
  ] as const)('%s is %s in %s', (message, kind, language) => {
    expect(readSmallTalk(message, 'en')).toEqual({ kind, language })
  })

  it('prefers the given language if phrases of several match', () => {
    expect(readSmallTalk('ok', 'nl')).toMatchObject({ language: 'nl' })
    expect(readSmallTalk('ok', 'en')).toMatchObject({ language: 'en' })
  })

  it.each(['', '???', 'there', 'hi, how do I start?', 'know', '你好世界', 'ok danke status'])(
    '%s asks for something',
    (message) => {
      expect(readSmallTalk(message, 'en')).toBeNull()
    },
  )
})

describe('replyToSmallTalk', () => {
  const project = projectRow('p1', { name: 'Lamp *shop*' })
  const url = (path: string) => `https://docs.test/${path}`
  const site = (start: string, links: string[], paths: string[]) => {
    const pages = paths.map((path) => ({ uuid: path, url: url(path), title: `Title ${path}` }))
    return {
      sources: { all: async () => [{ type: 'site', url: url(start), resolvedUrl: null }] },
      addresses: { scan: async () => pages.toSorted((a, b) => (a.url < b.url ? -1 : 1)) },
      pages: {
        byUrls: async (_: string, urls: string[]) =>
          urls.map((expected) => pages.find(({ url }) => url === expected) ?? null),
        content: async () => ({ links: links.map(url) }),
      },
    } as unknown as Parameters<typeof replyToSmallTalk>[2]
  }
  const help = (store: ReturnType<typeof site>) =>
    replyToSmallTalk({ kind: 'about', language: 'en' }, project, store)

  it('names the project and the sections with most pages below them', async () => {
    const links = ['about.html', 'library/', 'library/os.html', 'gone/', 'tutorial/index.html', 'index.html']
    const paths = ['index.html', 'about.html', 'library/', 'library/os.html', 'library/re.html']
    const reply = await help(site('', links, [...paths, 'tutorial/index.html', 'tutorial/one.html']))
    expect(reply).toBe(
      [
        'I answer questions about Lamp \\*shop\\* from its documentation, and link to the sections that say so. Its main sections:',
        '',
        '- [Title library/](https://docs.test/library/)',
        '- [Title tutorial/index.html](https://docs.test/tutorial/index.html)',
        '- [Title about.html](https://docs.test/about.html)',
      ].join('\n'),
    )
  })

  it('considers all pages if no start page is known, and lists no section without pages', async () => {
    expect(await help(site('files.xml', [], ['a.html', 'b/c.html']))).toContain('- [Title b/c.html]')
    expect(await help(site('', [], []))).toBe(
      'I answer questions about Lamp \\*shop\\* from its documentation, and link to the sections that say so.',
    )
  })

  it('has a sentence for each other kind', async () => {
    const say = (kind: 'hello' | 'bye' | 'thanks' | 'ok') =>
      replyToSmallTalk({ kind, language: 'de' }, project, site('', [], []))
    const { greeting, goodbye, welcome, acknowledged } = replies.de
    expect([await say('hello'), await say('bye'), await say('thanks'), await say('ok')]).toEqual([
      greeting,
      goodbye,
      welcome,
      acknowledged,
    ])
  })
})
