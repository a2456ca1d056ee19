import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitSentences, toSentences } from './sentences.ts'

const texts = (markdown: string) => toSentences(markdown).map(({ text }) => text)

describe('splitSentences', () => {
  const cases: [string, string[]][] = [
    ['Call it. Then wait.', ['Call it.', 'Then wait.']],
    ['Use `a. B` here. Done!', ['Use `a. B` here.', 'Done!']],
    [
      'Since 3.11 asyncio.run(main()) works. Before it did not.',
      ['Since 3.11 asyncio.run(main()) works.', 'Before it did not.'],
    ],
    ['Some modes, e.g. Binary, are slow.', ['Some modes, e.g. Binary, are slow.']],
    [
      'Files, folders, etc. are removed. Links, etc. They stay.',
      ['Files, folders, etc. are removed.', 'Links, etc.', 'They stay.'],
    ],
    ['It is written in C. The rest is not.', ['It is written in C.', 'The rest is not.']],
    ['Es gibt Dateien, z. B. Bilder. Und andere.', ['Es gibt Dateien, z. B. Bilder.', 'Und andere.']],
    ['It waits … and goes on... until then.', ['It waits … and goes on... until then.']],
    ['He said “Stop.” It stopped.', ['He said “Stop.”', 'It stopped.']],
    [
      'It is so. [1] It is not.[2][3] Or is it? [4, 5]',
      ['It is so. [1]', 'It is not.[2][3]', 'Or is it? [4, 5]'],
    ],
    ['設定します。次に起動します！[2]終わり', ['設定します。', '次に起動します！[2]', '終わり']],
    ['', []],
  ]
  for (const [text, sentences] of cases) {
    it(JSON.stringify(text), () =>
      expect(splitSentences(text).map((sentence) => sentence.text)).toEqual(sentences),
    )
  }
})

describe('toSentences', () => {
  it('ends sentences at blocks, and omits their markup', () => {
    const markdown =
      '# Waiting\nTwo ways\nto wait:\n\n- One way [1]\n- Another. Or this.\n  Really.\n\n1. First\n> Quoted\n\n| a | b |\n|---|---|\n'
    expect(texts(markdown)).toEqual([
      ...['Waiting', 'Two ways\nto wait:', 'One way [1]', 'Another.', 'Or this.', 'Really.'],
      ...['First', 'Quoted', 'a | b |'],
    ])
  })

  it('keeps code in one piece, closed or not', () => {
    expect(toSentences('Run:\n```sh\nmake. Now [1]\n```\nDone.')).toMatchObject([
      { kind: 'prose', text: 'Run:' },
      { kind: 'code', text: 'make. Now [1]' },
      { kind: 'prose', text: 'Done.' },
    ])
    expect(toSentences('~~~\nopen. It stays')).toMatchObject([{ kind: 'code', text: 'open. It stays' }])
  })

  it('returns positions in order, without overlap', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'Word. ',
            'a.b ',
            '\n',
            '\n\n',
            '- item ',
            '```\n',
            '[1] ',
            '`x. y` ',
            '。',
            '| ',
            '# ',
          ),
        ),
        (pieces) => {
          const markdown = pieces.join('')
          let last = 0
          for (const { kind, text, start, end } of toSentences(markdown)) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeLessThanOrEqual(markdown.length)
            if (kind === 'prose') expect(markdown.slice(start, end)).toBe(text)
            last = end
          }
        },
      ),
    )
  })
})
