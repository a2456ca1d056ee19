import fc from 'fast-check'
import { lexer } from 'marked'
import { describe, expect, it } from 'vitest'
import type { ModelPassage } from '../model/model.ts'
import type { Similarities } from '../search/meaning.ts'
import { quoteSection, readFirstSentence } from './extractive.ts'

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
/** `quoted` has only the labels. */
const quote = async (question: string, ...sections: Section[]) => {
  const { text, quoted } = await quoteSection(question, toPassages(sections), byWords)
  return { text, quoted: quoted.map(({ label }) => label) }
}

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')

describe('a quotation', () => {
  it('quotes the best section unchanged: heading, citation, paragraphs, list and code', async () => {
    const { text, quoted } = await quote('How do I install it?', [
      'Installing',
      'To install it:\n\n- Stop the server.\n- Copy the files.\n\nThen run this.\n\n```\nmake install\n```',
    ])
    expect(text).toBe(
      '**Installing** [1]\n\nTo install it:\n\n- Stop the server.\n- Copy the files.\n\nThen run this.\n\n```\nmake install\n```',
    )
    expect(quoted).toEqual([1])
  })

  it('quotes one section, the best with text', async () => {
    const sections = ['a', 'b', 'c'].map((title): Section => [title, title === 'a' ? '' : `About ${title}.`])
    expect(await quote('pipes', ...sections)).toEqual({ text: '**b** [1]\n\nAbout b.', quoted: [2] })
  })

  it('shows the signatures of a definition unchanged, and a title without its final mark', async () => {
    const signatures = 'command.run(args, *, timeout=None)\ncommand.run(file)'
    expect((await quote('run', [signatures, 'Runs it.'])).text).toBe(
      `**\`command.run()\`** [1]\n\n\`\`\`\n${signatures}\n\`\`\`\n\nRuns it.`,
    )
    const passage = {
      ...toPassages([['command.run(args)', 'Runs it.\n\n```\ncommand.run(list)\n```']])[0]!,
      also: ['command.run(file)', 'command.run(list)'],
    }
    expect((await quoteSection('run', [passage], async () => null)).text).toContain(
      '** [1]\n\n```\ncommand.run(args)\ncommand.run(file)\n```\n\nRuns it.',
    )
    const options = { ...toPassages([['-n', 'Only tells.']])[0]!, also: ['--dry-run'] }
    expect((await quoteSection('tell', [options], async () => null)).text).toContain('--dry-run** [1]')
    expect((await quote('note', ['Note :', 'It is so.'])).text).toBe('**Note** [1]\n\nIt is so.')
  })

  it('reads the first sentence of a section, but none of a passage from its middle', () => {
    const read = (text: string) => readFirstSentence(toPassages([['a', text]])[0]!)
    expect(read('Note\n\n- a list\n\nThis is what the section is all about. And more.')).toBe(
      'This is what the section is all about.',
    )
    expect(read('…\n\nThis is from the middle of a section that is long.')).toBe('')
  })

  it('shows at most 200 words of a long section, from the part most similar to the question', async () => {
    const { text } = await quote('How do I close a valve?', [
      'Valves',
      `${words(167)}\n\nA valve is closed by hand.\n\n${words(183, 'other')}\n\nEnd of it.`,
    ])
    expect(text).toContain('A valve is closed by hand.')
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(202)
  })

  it('chooses that part by meaning if there is a model', async () => {
    const text = `${words(167)}\n\nIt drinks oats.\n\n${words(183, 'other')}`
    const similaritiesByMeaning = async (pairs: { others: string[] }[]) =>
      pairs.map(({ others }) => others.map((other) => (other.includes('oats') ? 0.9 : 0.1)))
    const shown = async (similarities: Similarities) =>
      (await quoteSection('What is a horse fed?', toPassages([['Horses', text]]), similarities)).text
    expect(await shown(similaritiesByMeaning)).toContain('oats')
    expect(await shown(async (pairs) => pairs.map(({ others }) => others.map((_, at) => at)))).toContain(
      'other',
    )
  })

  it('keeps the introduction of a list or code with it', async () => {
    const { text } = await quote('flags of a red open valve', [
      'Valves',
      `${words(167)}\n\nThese can be given:\n\n- flags of an open valve, one\n- flags, two\n\nred ${words(178)}`,
    ])
    expect(text).toContain('These can be given:\n\n- flags of an open valve, one')
  })

  it('does not end between an introduction and what it introduces', async () => {
    const { text } = await quote('valve that is red', [
      'Valves',
      `A valve that is red is open. For example,\n\n\`\`\`\n${words(197)}\n\`\`\`\n\n${words(100)}.`,
    ])
    expect(text).toBe('**Valves** [1]\n\nA valve that is red is open. …\n\n[Valves …](https://x.org/Valves)')
  })

  it('shows the opening and the best parts of a long section, and marks omissions between them', async () => {
    const opening = 'A valve opens or closes a pipe by hand.'
    const section = `${opening}\n\n${words(150)}.\n\nA red valve leaks.\n\n${words(150)}.`
    const { text } = await quote('Why does it leak when it is red?', ['Valves', section])
    expect(text).toBe(
      `**Valves** [1]\n\n${opening}\n\n…\n\nA red valve leaks.\n\n[Valves …](https://x.org/Valves)`,
    )
  })

  it('marks omitted list items, and shows the introduction of the list once', async () => {
    const item = (text: string) => `- ${text} ${words(50)}.`
    const items = [item('a'), item('red, leaks'), item('b'), item('c'), item('red, leaks too')]
    const { text } = await quote('Why does it leak when it is red?', [
      'Valves',
      `${words(120)}.\n\nThese are known:\n\n${items.join('\n')}`,
    ])
    expect(text).toContain(`\n\nThese are known:\n\n- …\n${items[1]}\n- …\n${items[4]}\n\n[`)
  })

  it('shows a paragraph once if it is both the opening and the introduction of a list', async () => {
    const items = Array.from({ length: 8 }, (_, at) => `- ${words(35, `w${at}`)}`)
    items[5] = `- ${words(30, 'other')} purge the package.`
    const section = `It is the main tool. It has many options. Some uses:\n\n${items.join('\n')}`
    const { text } = await quote('How do I purge a package?', ['Tools', section])
    expect(text).toContain('Some uses:\n\n- …\n')
    expect(text.match(/It is the main tool/g)).toHaveLength(1)
  })

  it('quotes all retrieved passages of a section, in page order', async () => {
    const section = (n: number, text: string) => ({
      ...toPassages([['Valves', text]])[0]!,
      label: n,
      unit: `a:1:${n}`,
    })
    const later = section(10, `…\n\nA red valve leaks.\n\n${words(150)}.`)
    const passages = [later, section(9, `A valve opens or closes a pipe by hand.\n\n${words(150)}.`)]
    const { text, quoted } = await quoteSection('Why does it leak when it is red?', passages, byWords)
    expect(text).toContain('closes a pipe by hand.\n\n…\n\nA red valve leaks.\n\n[Valves …]')
    expect(quoted).toEqual([{ label: 10, quote: 'A red valve leaks.' }])
  })

  it('keeps a label with the text below it', async () => {
    const { text } = await quote('a red valve', [
      'Valves',
      `${words(133)}.\n\nNote\n\nA red valve leaks.\n\n${words(133)}.`,
    ])
    expect(text).toContain('Note\n\nA red valve leaks.')
  })

  it('quotes the section with most words of the question if search ranked others slightly higher', async () => {
    const { text, quoted } = await quote(
      'close the drain valve',
      ['Pumps', `A pump has a valve. ${words(20)}.`],
      ['Draining', 'Close the drain valve by hand.'],
    )
    expect(text).toContain('**Draining** [1]')
    expect(quoted).toEqual([2])
  })

  it('quotes the result that search ranks far above the others, even if another has more words of the question', async () => {
    const { quoted } = await quote(
      'let water out of a closed valve',
      ['Draining', `How a valve is drained. ${words(20)}.`],
      ['Colors', 'Water is blue, and a closed valve is red.', 0.4],
    )
    expect(quoted).toEqual([1])
  })

  it('quotes the reply to a question within a section, and no question without its reply', async () => {
    const reply = (count: number) => `It is turned ${words(count - 4)} twice.`
    const section = (count: number) =>
      `${words(60)}.\n\nHow is a red valve closed?\n\n${reply(count)}\n\n${words(60)}.`
    const shown = (await quote('close a red valve', ['Valves', section(170)])).text
    expect(shown).toContain(`How is a red valve closed?\n\n${reply(170)}`)
    const { text } = await quote('valve with a red label', [
      'Valves',
      `${words(60)}.\n\nA red label is on each valve.\n\nWho has closed it?\n\n${reply(190)}`,
    ])
    expect(text).toContain('A red label')
    expect(text).not.toContain('Who has')
  })

  it('quotes the first search result for a one-word question, from where the word occurs', async () => {
    const nearer = async (pairs: { others: string[] }[]) =>
      pairs.map(({ others }) => others.map((other) => (other.includes('gasket') ? 0.9 : 0.1)))
    const passages = toPassages([
      ['Overview', 'Pumps move water.'],
      ['Repair', 'Pumps leak where a gasket is worn out.', 0.9],
    ])
    const long = `Pumps move water. ${words(100)}.\n\n${words(60)}.\n\nPumps leak at a gasket. ${words(60)}.`
    const shown = async (question: string, from = passages) =>
      (await quoteSection(question, from, nearer)).text
    expect(await shown('What are pumps?', toPassages([['Overview', long]]))).toContain('Pumps move water.')
    expect(await shown('What are pumps?')).toContain('**Overview** [1]')
    expect(await shown('What do pumps lose water from?')).toContain('**Repair** [1]')
  })

  it('keeps the header row of a table, and shows its rows as a table', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, n) => `r${n} | ${n === 33 ? 'closes a valve | now' : words(9)}`,
    )
    const { text } = await quote('closes a valve', ['Modes', `Mode | Meaning\n${rows.join('\n')}`])
    expect(text).toContain('| Mode | Meaning |  |\n| --- | --- | --- |\n')
    expect(text).toContain('\n| r33 | closes a valve | now |')
  })

  it('prefers text with words of the question that the heading lacks', async () => {
    const { text } = await quote('run with a timeout', [
      'command.run(args)',
      `${words(167)}.\n\nIt can run anything. ${words(107)}.\n\nAfter the timeout it ends. ${words(100)}.`,
    ])
    expect(text).toContain('After the timeout')
  })

  it('omits footnote marks', async () => {
    const { text } = await quote('a red valve', ['Valves', 'A red valve leaks.\n\n[1]\n\n12'])
    expect(text).toBe('**Valves** [1]\n\nA red valve leaks.')
  })

  it('shows the definition asked for, with its term and the introduction of the list', async () => {
    const item = (name: string, does: string) => `- \`--${name}\` N: ${does} ${words(75)}.`
    const list = [
      item('hourly', 'each hour'),
      item('daily', 'each day'),
      item('weekly', 'each week'),
      item('yearly', 'each year'),
    ]
    const { text } = await quote('keep one for each week', [
      'Pruning',
      `${words(183)}.\n\nWhat is kept:\n\n${list.join('\n')}`,
    ])
    expect(text).toContain('What is kept:\n\n- …\n')
    expect(text).toContain('- `--weekly` N: each week')
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(210)
  })

  it('compares parts together with their context, and first those with most words of the question', async () => {
    const asked: string[] = []
    const similarities: Similarities = async ([pair]) => {
      asked.push(...pair!.others)
      return null
    }
    const parts = Array.from({ length: 30 }, (_, n) => `${words(20)} ${n}.`)
    const text = `${parts.join('\n\n')}\n\nOpen it:\n\n\`\`\`\nvalve open\n\`\`\``
    await quoteSection('open a valve', toPassages([['Valves', text]]), similarities)
    expect(asked[0]).toBe('Valves\nOpen it:\nvalve open')
    expect(asked.length).toBeLessThan(20)
  })

  it('quotes all of a short section without comparing its parts', async () => {
    const asked: string[] = []
    const similarities: Similarities = async ([pair]) => {
      asked.push(...pair!.others)
      return null
    }
    const text = 'Opens a valve.\n\nSome more.\n\n- one\n- two'
    const quoted = await quoteSection('close it', toPassages([['Valves', text]]), similarities)
    expect(quoted.text).toBe(`**Valves** [1]\n\n${text}`)
    expect(asked).toEqual([])
  })

  it('prefers what says what the section is about among equal parts', async () => {
    const history = ['v2', 'v1'].map((version) => `${version} | ${words(30)}`).join('\n')
    const section = `Version | Changes\n${history}\n\nThis opens a valve at a port that is given.\n\n${words(150)}.`
    expect((await quote('port', ['open()', section])).text).toContain('This opens a valve')
    expect((await quote('other', ['open()', section])).text).toContain('This opens a valve')
  })

  it('does not read the arrows of a diagram as options', async () => {
    const { text } = await quote('x', ['a', 'a -- x --- y, o---x--->, <---y---, and `--dry-run`.'])
    expect(text.match(/`[^`]+`/gu)).toEqual(['`--dry-run`'])
  })

  it.each([
    [
      'a paragraph at its sentences',
      `${words(120)}. The valve is red. ${words(150)}.`,
      /^word .*The valve is red\. …$/u,
    ],
    ['a list at its items', `- ${words(150)}\n- The valve is red.\n- ${words(150)}`, /- The valve is red\./u],
    ['a sentence without an end at a word', `valve ${words(500)}`, /^valve (?:word ){198}word …$/u],
  ])('cuts %s', async (_, long, shown) => {
    const { text } = await quote('red valve', ['Valves', long])
    expect(text.split('\n\n')[1]).toMatch(shown)
    expect(text.split(/\s+/u).length).toBeLessThanOrEqual(206)
  })

  it('escapes markup, links, images and citation numbers in page text', async () => {
    const { text } = await quote('What is a widget?', [
      'A [b](https://evil.example)',
      'A widget is ![x](https://evil.example/a.png) or [this](https://evil.example) <b>*part*</b> of `my_window.open()` [1].',
    ])
    expect(text).not.toMatch(/(?<!\\)\]\(|(?<!\\)<b>|(?<![`\w/])https:/u)
    expect(text).toContain('`my_window.open()` \\[1\\].')
  })

  it('quotes Japanese', async () => {
    const { text } = await quote('設定を保存する方法', [
      '設定',
      '設定は画面で変更します。設定を保存するには保存ボタンを押します。',
    ])
    expect(text).toContain('設定を保存するには保存ボタンを押します。')
  })

  it('returns nothing for sections without text', async () => {
    expect((await quote('widgets', ['Widgets', ''])).quoted).toEqual([])
    expect(await quote('widgets')).toEqual({ text: '', quoted: [] })
    expect(await quote('widgets', ['Widgets', ''], ['More', 'A widget.'])).toMatchObject({ quoted: [2] })
  })

  it('accepts any passage, and never leaves a code fence open', async () => {
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

  it('shows URLs and entities literally', async () => {
    const { text } = await quote('x', ['a', 'See https://a.org/x`y and &lt;b&gt; &#60; &amp; a & b.'])
    expect(text.split('\n\n')[1]).toBe('See `https://a.org/x`\\`y and \\&lt;b\\&gt; \\&#60; \\&amp; a & b.')
  })

  it('cuts text without spaces at the number of characters of as many words', async () => {
    const { text } = await quote('x', ['a', 'ตัวอย่าง'.repeat(300)])
    expect(text.length).toBeLessThan(2_100)
  })
})
