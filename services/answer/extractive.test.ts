import fc from 'fast-check'
import { lexer } from 'marked'
import { describe, expect, it } from 'vitest'
import type { ModelPassage } from '../model/model.ts'
import type { Similarities } from '../search/meaning.ts'
import { createExtractive, quoteSections } from './extractive.ts'

type Section = [title: string, text: string, score?: number, url?: string | undefined]

function toPassages(sections: Section[]): ModelPassage[] {
  return sections.map(([title, text, score = 1, url = title], at) => ({
    label: at + 1,
    title,
    url: `https://x.org/${url}`,
    text,
    score,
  }))
}
const byWords = async () => null
/** `quoted`: the labels alone. */
const quote = async (question: string, ...sections: Section[]) => {
  const { text, quoted } = await quoteSections(question, toPassages(sections), byWords)
  return { text, quoted: quoted.map(({ label }) => label) }
}

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')

describe('the extractive model', () => {
  it('quotes the best section as it stands: heading, citation, paragraphs, list and code', async () => {
    const { text, quoted } = await quote('How do I install it?', [
      'Installing',
      'To install it:\n\n- Stop the server.\n- Copy the files.\n\nThen run this.\n\n```\nmake install\n```',
    ])
    expect(text).toBe(
      '**Installing** [1]\n\nTo install it:\n\n- Stop the server.\n- Copy the files.\n\nThen run this.\n\n```\nmake install\n```',
    )
    expect(quoted).toEqual([1])
  })

  it('quotes up to three, each further one only where it is nearly as good, and a section once', async () => {
    const section = (title: string, score: number, url?: string): Section => [
      title,
      `About ${title}.`,
      score,
      url,
    ]
    const { text, quoted } = await quote(
      'pipes',
      section('a', 1),
      section('b', 0.98, 'a'),
      section('c', 0.95),
      section('d', 0.3),
    )
    expect(quoted).toEqual([1, 3])
    expect(text).toMatch(/^\*\*a\*\* \[1\][\s\S]*\*\*c\*\* \[2\]/u)
    expect((await quote('pipes', ...['a', 'b', 'c', 'd'].map((title) => section(title, 1)))).quoted).toEqual([
      1, 2, 3,
    ])
  })

  it('shows the part of a long section that is nearest to the question, 120 words at most', async () => {
    const { text } = await quote('How do I close a valve?', [
      'Valves',
      `${words(100)}\n\nA valve is closed by hand.\n\n${words(110, 'other')}\n\nEnd of it.`,
    ])
    expect(text).toContain('A valve is closed by hand.')
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(122)
  })

  it('asks meaning for that part where there is a model', async () => {
    const text = `${words(100)}\n\nIt drinks oats.\n\n${words(110, 'other')}`
    const meant = async (pairs: { others: string[] }[]) =>
      pairs.map(({ others }) => others.map((other) => (other.includes('oats') ? 0.9 : 0.1)))
    const shown = async (similarities: Similarities) =>
      (await quoteSections('What is a horse fed?', toPassages([['Horses', text]]), similarities)).text
    expect(await shown(meant)).toContain('oats')
    expect(await shown(async (pairs) => pairs.map(({ others }) => others.map((_, at) => at)))).toContain(
      'other',
    )
  })

  it('keeps what leads to a list or to code with it', async () => {
    const { text } = await quote('flags of a red open valve', [
      'Valves',
      `${words(100)}\n\nThese can be given:\n\n- flags of an open valve, one\n- flags, two\n\nred ${words(107)}`,
    ])
    expect(text).toContain('These can be given:\n\n- flags of an open valve, one')
  })

  it('ends no quotation between an announcement and what is announced', async () => {
    const { text } = await quote('valve that is red', [
      'Valves',
      `A valve that is red is open. For example,\n\n\`\`\`\n${words(118)}\n\`\`\`\n\n${words(60)}.`,
    ])
    expect(text).toBe('**Valves** [1]\n\nA valve that is red is open. …')
  })

  it('keeps a label with what stands below it', async () => {
    const { text } = await quote('a red valve', [
      'Valves',
      `${words(80)}.\n\nNote\n\nA red valve leaks.\n\n${words(80)}.`,
    ])
    expect(text).toContain('Note\n\nA red valve leaks.')
  })

  it('looks in a section for what its heading does not say already', async () => {
    const { text } = await quote('run with a timeout', [
      'command.run(args)',
      `${words(100)}.\n\nIt can run anything. ${words(64)}.\n\nAfter the timeout it ends. ${words(60)}.`,
    ])
    expect(text).toContain('After the timeout')
  })

  it('leaves out the mark of a note', async () => {
    const { text } = await quote('a red valve', ['Valves', 'A red valve leaks.\n\n[1]\n\n12'])
    expect(text).toBe('**Valves** [1]\n\nA red valve leaks.')
  })

  it('shows the definition that is asked for, with its term and with what introduces the list', async () => {
    const item = (name: string, does: string) => `- --${name} N: ${does} ${words(45)}.`
    const list = [
      item('hourly', 'each hour'),
      item('daily', 'each day'),
      item('weekly', 'each week'),
      item('yearly', 'each year'),
    ]
    const { text } = await quote('keep one for each week', [
      'Pruning',
      `${words(110)}.\n\nWhat is kept:\n\n${list.join('\n')}`,
    ])
    expect(text).toContain('What is kept:\n\n- …\n')
    expect(text).toContain('- `--weekly` N: each week')
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(130)
  })

  it('quotes of several passages of a section the one that is nearest', async () => {
    const section = (text: string): Section => ['Valves', text, 1, 'valves']
    const { text, quoted } = await quote(
      'Why does a red valve leak?',
      section(`Valves. ${words(130)}.`),
      section('A red valve leaks.'),
    )
    expect(text).toBe('**Valves** [1]\n\nA red valve leaks.')
    expect(quoted).toEqual([2])
  })

  it('compares a part with the question by what it belongs to, those that hold most of it first', async () => {
    const asked: string[] = []
    const similarities: Similarities = async ([pair]) => {
      asked.push(...pair!.others)
      return null
    }
    const parts = Array.from({ length: 30 }, (_, n) => `${words(20)} ${n}.`)
    const text = `${parts.join('\n\n')}\n\nOpen it:\n\n\`\`\`\nvalve open\n\`\`\``
    await quoteSections('open a valve', toPassages([['Valves', text]]), similarities)
    expect(asked[0]).toBe('Valves\nOpen it:\nvalve open')
    expect(asked.length).toBeLessThan(20)
  })

  it('quotes a short section whole and compares nothing of it', async () => {
    const asked: string[] = []
    const similarities: Similarities = async ([pair]) => {
      asked.push(...pair!.others)
      return null
    }
    const text = 'Opens a valve.\n\nSome more.\n\n- one\n- two'
    const quoted = await quoteSections('close it', toPassages([['Valves', text]]), similarities)
    expect(quoted.text).toBe(`**Valves** [1]\n\n${text}`)
    expect(asked).toEqual([])
  })

  it('shows with equal right what says what the section is about', async () => {
    const history = ['v2', 'v1'].map((version) => `${version} | ${words(30)}`).join('\n')
    const section = `Version | Changes\n${history}\n\nThis opens a valve at a port that is given.\n\n${words(90)}.`
    expect((await quote('port', ['open()', section])).text).toContain('This opens a valve')
    expect((await quote('other', ['open()', section])).text).toContain('This opens a valve')
  })

  it('takes the arrows of a diagram for no options', async () => {
    const { text } = await quote('x', ['a', 'a -- x --- y, o---x--->, <---y---, and --dry-run.'])
    expect(text.match(/`[^`]+`/gu)).toEqual(['`--dry-run`'])
  })

  it.each([
    [
      'a paragraph at its sentences',
      `${words(90)}. The valve is red. ${words(90)}.`,
      /^word .*The valve is red\. …$/u,
    ],
    ['a list at its items', `- ${words(90)}\n- The valve is red.\n- ${words(90)}`, /- The valve is red\./u],
    ['a sentence without an end at a word', `valve ${words(300)}`, /^valve (?:word ){118}word …$/u],
  ])('cuts %s', async (_, long, shown) => {
    const { text } = await quote('red valve', ['Valves', long])
    expect(text.split('\n\n')[1]).toMatch(shown)
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(126)
  })

  it('shows text of a page as it stands: no markup, link, image or number of it comes to life', async () => {
    const { text } = await quote('What is a widget?', [
      'A [b](https://evil.example)',
      'A widget is ![x](https://evil.example/a.png) or [this](https://evil.example) <b>*part*</b> of my_window.open() [1].',
    ])
    expect(text).not.toMatch(/(?<!\\)\]\(|(?<!\\)<b>|(?<![`\w/])https:/u)
    expect(text).toContain('`my_window.open()` \\[1\\].')
  })

  it('takes Japanese', async () => {
    const { text } = await quote('設定を保存する方法', [
      '設定',
      '設定は画面で変更します。設定を保存するには保存ボタンを押します。',
    ])
    expect(text).toContain('設定を保存するには保存ボタンを押します。')
  })

  it('says nothing of sections without a text', async () => {
    expect((await quote('widgets', ['Widgets', ''])).quoted).toEqual([])
    expect(await quote('widgets')).toEqual({ text: '', quoted: [] })
    expect(await quote('widgets', ['Widgets', ''], ['More', 'A widget.'])).toMatchObject({ quoted: [2] })
  })

  it('streams in small pieces, tells what it quoted, and stops when it is aborted', async () => {
    const passages = toPassages([
      ['Widgets', 'A widget is a part of a window, and a window is a part of a screen.'],
    ])
    const request = { instructions: '', messages: [], question: 'widget', passages, reason: false }
    const pieces: string[] = []
    let end = {}
    for await (const part of createExtractive(byWords).answer(request, new AbortController().signal)) {
      if (part.type === 'text') pieces.push(part.text)
      else end = part
    }
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe((await quoteSections('widget', passages, byWords)).text)
    const quote = 'A widget is a part of a window, and a window is a part of a screen.'
    expect(end).toEqual({ type: 'end', reason: 'stop', quoted: [{ label: 1, quote }] })
    const stop = new AbortController()
    await expect(async () => {
      for await (const _ of createExtractive(byWords).answer(request, stop.signal))
        stop.abort(new Error('left'))
    }).rejects.toThrow('left')
  })

  it('takes any passage, and never leaves a fence open', async () => {
    const pieces = [
      'A list holds items. ',
      '```\n',
      '\n\n',
      '- item\n',
      '`',
      '**',
      '[1]',
      '設定。',
      ' | ',
      ': ',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pieces), { maxLength: 30, size: 'max' }),
        async (parts) => {
          const { text } = await quote('how to make a list of items', ['Lists', parts.join('')])
          expect(lexer(`${text}\n\nThe end.`).at(-1)).toMatchObject({ type: 'paragraph', text: 'The end.' })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('shows addresses and entities as they stand', async () => {
    const { text } = await quote('x', ['a', 'See https://a.org/x`y and &lt;b&gt; &#60; &amp; a & b.'])
    expect(text.split('\n\n')[1]).toBe('See `https://a.org/x`\\`y and \\&lt;b\\&gt; \\&#60; \\&amp; a & b.')
  })

  it('cuts a text without spaces to the characters of as many words', async () => {
    const { text } = await quote('x', ['a', 'ตัวอย่าง'.repeat(300)])
    expect(text.length).toBeLessThan(1_300)
  })
})
