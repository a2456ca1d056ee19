import { describe, expect, it } from 'vitest'
import { isInLanguages } from '../language.ts'
import type { PageContent } from '../store/page.ts'
import { readVariant, toUnits } from './units.ts'

const page = {
  uuid: 'u',
  version: 7,
  url: 'https://x.org/en/3.11/a.html',
  sourceType: 'site' as const,
}
const content: PageContent = {
  title: 'Guide',
  language: null,
  docVersion: null,
  boost: 2,
  keywords: ['handbook'],
  links: [],
  sections: [
    {
      kind: 'heading',
      anchor: 'top',
      heading: 'Start',
      path: [],
      blocks: [{ kind: 'paragraph', text: 'One.' }],
    },
    { kind: 'definition', anchor: 'f', heading: 'f(x)', path: ['Start'], blocks: [] },
  ],
}

const tides = {
  fr: `La marée monte et descend deux fois par jour. Le gardien ouvre les portes du port quand l'eau est assez haute, puis il
    les referme avant que la mer ne se retire, pour que les bateaux restent à flot jusqu'au lendemain matin.`,
  ja: `潮は一日に二度満ちて引きます。水が十分に高くなると番人が港の門を開け、海が引く前に再び閉めます。こうして船は翌朝まで浮いたままでいられます。
    門が開いている間だけ、船は港に出入りすることができます。番人は毎日の潮の時刻を表に書いて、港の入り口に掲げておきます。`,
}

describe('the language of a unit', () => {
  const nowhere = { url: 'https://x.org/a.html', language: null as string | null }
  const languageOf = (text: string, { url, language } = nowhere, kind: 'paragraph' | 'code' = 'paragraph') =>
    toUnits(
      { ...page, url },
      { ...content, language, sections: [{ ...content.sections[0]!, blocks: [{ kind, text }] }] },
    )[0]!.language

  it.each(['fr', 'ja'] as const)(
    "is detected from the page's text if nothing declares it: %s",
    (language) => {
      const detected = languageOf(tides[language])
      // A filter for the detected language excludes it.
      expect(detected).toBe(`${language}-x-detected`)
      expect([isInLanguages(detected, ['en']), isInLanguages(detected, [language])]).toEqual([false, true])
    },
  )

  it('is the one that the page or its URL declares, whatever the text', () => {
    expect(languageOf(tides.fr, { ...nowhere, language: 'de' })).toBe('de')
    expect(languageOf(tides.fr, { ...nowhere, url: page.url })).toBe('en')
  })

  it('is not detected from a few words, code, or text in no language', () => {
    expect(languageOf('La marée monte et descend deux fois par jour.')).toBeNull()
    expect(languageOf(tides.fr, nowhere, 'code')).toBeNull()
    expect(languageOf('qxz vkw jjq xkcd zzt '.repeat(10))).toBeNull()
  })
})

describe('toUnits', () => {
  it('makes a unit of each section and definition, with title, keywords and path in each', () => {
    const [start, definition] = toUnits(page, content)
    expect(start).toMatchObject({ id: 'u:7:0', anchor: 'top', heading: 'Start', text: 'One.', boost: 2 })
    expect(definition).toMatchObject({ id: 'u:7:1', kind: 'definition', text: '', path: ['Start'] })
    expect(definition?.titleTerms.split(' ')).toEqual(expect.arrayContaining(['guide', 'handbook']))
    expect(definition?.headingTerms.split(' ')).toEqual(expect.arrayContaining(['f', 'x', 'start']))
  })

  it('splits a long section at blocks, keeps its anchor, and loses nothing', () => {
    const words = (from: number) => Array.from({ length: 150 }, (_, at) => `word${from + at}`).join(' ')
    const blocks = [0, 150, 300, 450].map((from) => ({ kind: 'paragraph' as const, text: words(from) }))
    const units = toUnits(page, { ...content, sections: [{ ...content.sections[0]!, blocks }] })
    expect(units.length).toBeGreaterThan(1)
    expect(new Set(units.map(({ anchor }) => anchor))).toEqual(new Set(['top']))
    expect(units.map(({ text }) => text).join('\n\n')).toBe(blocks.map(({ text }) => text).join('\n\n'))
  })

  it('records the position of code in a unit, and which units are continuations of a section', () => {
    const words = (count: number) => 'word '.repeat(count).trim()
    const blocks = [
      { kind: 'paragraph' as const, text: words(400) },
      { kind: 'paragraph' as const, text: 'Then:' },
      { kind: 'code' as const, text: 'make\n\nmake install' },
      { kind: 'code' as const, text: words(400) },
    ]
    const units = toUnits(page, { ...content, sections: [{ ...content.sections[0]!, blocks }] })
    expect(units.map(({ continues = false }) => continues)).toEqual([false, true])
    expect(units[0]!.text.slice(...(units[0]!.code as [number, number]))).toBe('make\n\nmake install')
    expect(units[1]).toMatchObject({ text: words(400), code: [0, words(400).length] })
    expect(toUnits(page, content)[0]).not.toHaveProperty('code')
  })

  it('splits a very long block', () => {
    const text = 'x'.repeat(10_000)
    const blocks = [{ kind: 'code' as const, text }]
    const units = toUnits(page, { ...content, sections: [{ ...content.sections[0]!, blocks }] })
    expect(units.map((unit) => unit.text).join('')).toBe(text)
    for (const unit of units) expect(unit.text.length).toBeLessThanOrEqual(2_800)
  })

  it('makes one unit of a page that has only a title', () => {
    expect(toUnits(page, { ...content, sections: [] })).toMatchObject([
      { heading: '', titleTerms: 'guide guid handbook' },
    ])
  })

  it('adds the full name of a definition if the anchor has it', () => {
    const items = {
      kind: 'definition' as const,
      anchor: 'dict.items',
      heading: 'items()',
      path: [],
      blocks: [],
    }
    const [unit] = toUnits(page, { ...content, sections: [items] })
    expect(unit!.headingTerms.split(' ')).toContain('dict.items')
    expect(unit!.heading).toBe('items()')
  })

  it('makes one unit of a definition with several names, found by each', () => {
    const lines = {
      kind: 'definition' as const,
      anchor: 'tide.lines',
      heading: 'lines()',
      also: [{ heading: 'rows()', anchor: 'tide.rows' }],
      path: [],
      blocks: [],
    }
    const units = toUnits(page, { ...content, sections: [lines] })
    expect(units).toMatchObject([{ anchor: 'tide.lines', also: lines.also }])
    expect(units[0]!.headingTerms.split(' ')).toEqual(
      expect.arrayContaining(['tide.lines', 'rows', 'tide.rows']),
    )
  })

  it('skips headings without text, except names, and where there is nothing else', () => {
    const bare = (heading: string) => ({
      kind: 'heading' as const,
      anchor: 'a',
      heading,
      path: [],
      blocks: [],
    })
    const headingsOf = (headings: string[]) =>
      toUnits(page, { ...content, sections: [...headings.map(bare), content.sections[0]!] }).map(
        ({ heading }) => heading,
      )
    expect(headingsOf(['Tides', 'Of the gates', 'Input/Output devices', 'Notes:'])).toEqual(['Start'])
    const prose = `New Features, Using Docker, String Functions and Operators, Data Types, Open Issues, Default Values, Final Steps,
      Private Networks, Object Storage, Package Management, Type System, Class Methods, Exception Handling, Record Types`
    expect(headingsOf(prose.split(/,\s+/))).toEqual(['Start'])
    const names = ['server.close()', 'open(gate, tide)', '--dry-run', 'MAX_TIDE', 'Class Gate<T>']
    expect(headingsOf(names)).toEqual([...names, 'Start'])
    expect(
      toUnits(page, { ...content, title: 'Enum Gate', sections: [bare('Enum Gate'), content.sections[0]!] }),
    ).toHaveLength(2)
    expect(toUnits(page, { ...content, sections: [bare('Tides'), bare('Gates')] })).toMatchObject([
      { heading: 'Tides', anchor: 'a' },
    ])
  })

  it('reads version and language from the page, else from its URL', () => {
    expect(toUnits(page, content)[0]).toMatchObject({ docVersion: '3.11', language: 'en' })
    expect(toUnits(page, { ...content, docVersion: '4', language: 'de' })[0]).toMatchObject({
      docVersion: '4',
      language: 'de',
    })
  })
})

describe('readVariant', () => {
  const examples: [string, string | null, string | null][] = [
    ['https://x.org/en/stable/a', 'stable', 'en'],
    ['https://x.org/docs/v2/a.html', '2', null],
    ['https://x.org/docs/V2.1/a.html', '2.1', null],
    ['https://x.org/zh_CN/latest/', 'latest', 'zh-cn'],
    ['https://x.org/pt-BR/a', null, 'pt-br'],
    ['https://x.org/3.11', null, null],
    ['https://x.org/go/my/to/a', null, null],
  ]
  for (const [url, docVersion, language] of examples) {
    it(url, () => expect(readVariant(url)).toEqual({ docVersion, language }))
  }
})
