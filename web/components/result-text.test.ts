// Highlighted words and code in results.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findInlineCode, isCodeTitle } from './code-shape.ts'
import { readExcerpt } from './excerpt.ts'
import { findMatches, readWords } from './highlight.ts'
import { toBlocks } from './result-text.ts'

const marked = (text: string, query: string) =>
  findMatches(text, readWords(query)).map(([start, end]) => text.slice(start, end))

describe('highlighting', () => {
  test.each([
    ['Run a Task in tasks', 'task', ['Task', 'task']],
    ['the multitask', 'task', []],
    ['call asyncio.create_task(coro)', 'asyncio.create_task', ['asyncio.create_task']],
    ['create a task', 'create_task', ['create', 'task']],
    ['how to run it', 'how to run', ['run']],
    ['what is this', 'what is', ['what', 'is']],
    ['C++ (a.*b)', '.*', []],
    ['検索エンジンの設定', '設定', ['設定']],
    ['İstanbul task', 'task', ['task']],
    ['the asyncio event loop', 'asyncoi', ['asyncio']],
    ['install, then instal again', 'instal', ['instal', 'instal']],
    ['subprocess with timeouts', 'subproces timeout', ['subproces', 'timeout']],
    ['the Paths of ports', 'ports parts', ['ports']],
    ['configure it', 'confgure', ['configure']],
    ['useSessionMiddleware()', 'session middleware', ['Session', 'Middleware']],
    ['an OAuth2Client', 'client', ['Client']],
    ['the Multitask', 'task', []],
  ])('%s ← %s', (text, query, expected) => {
    expect(marked(text, query)).toEqual(expected)
  })

  test('returns ranges in the text, in order, without overlap, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, query) => {
        let from = 0
        for (const [start = 0, end = 0] of findMatches(text, readWords(query))) {
          expect(start).toBeGreaterThanOrEqual(from)
          expect(end).toBeGreaterThan(start)
          from = end
        }
        expect(from).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})

describe('code', () => {
  test('separates code blocks from prose', () => {
    const fragment =
      'Run it like this:\n\nimport asyncio\nasyncio.run(main())\n\n  # All of it. Really.\n\nThen look\n- here\n- there'
    expect(toBlocks(fragment)).toEqual([
      { kind: 'text', text: 'Run it like this:' },
      { kind: 'code', text: 'import asyncio\nasyncio.run(main())\n\n  # All of it. Really.' },
      { kind: 'text', text: 'Then look\n- here\n- there' },
    ])
  })

  test('reads comments alone as code', () => {
    expect(toBlocks('# Expected output:\n#\n# started. Done.')[0]?.kind).toBe('code')
  })

  test('recognizes a table by its cells', () => {
    expect(toBlocks('Name | Value\nlimit | 10')).toEqual([
      { kind: 'table', text: 'Name | Value\nlimit | 10' },
    ])
    expect(toBlocks('Name | Value\nlimit | 10\nleng…')[0]?.kind).toBe('table')
    expect(toBlocks('grep a | sort of')).toEqual([{ kind: 'text', text: 'grep a | sort of' }])
  })

  test.each([
    'from the list of names (see below',
    'import the module and go on',
    'with a colon: and so on',
    'return the first of them',
  ])('does not read prose that starts with a keyword as code: %s', (text) => {
    expect(toBlocks(text)).toEqual([{ kind: 'text', text }])
  })

  test.each([
    ['asyncio.run(main())', true],
    ['--max-old-space-size', true],
    ['max_connections (integer)', true],
    ['coroutine asyncio.to_thread(func, /, *args)', true],
    ['class Task', false],
    ['Creating Tasks', false],
    ['Index', false],
    ['Node.js and the browser today', false],
  ])('title %s: %s', (title, expected) => {
    expect(isCodeTitle(title)).toBe(expected)
  })

  test('finds names within a sentence', () => {
    const line = 'Use loop.create_task() or --flag=1, e.g. see docs.example.com; well-known max_size.'
    expect(findInlineCode(line).map(([start, end]) => line.slice(start, end))).toEqual([
      'loop.create_task()',
      '--flag=1',
      'max_size',
    ])
  })
})

describe('the lines of a fragment', () => {
  const content = 'Use a loop:\n\nfor x in y:\n    go(x)\n\nMore of it.'

  test.each([
    ['…a loop: for x in y: go(x)…', '…a loop:\n\nfor x in y:\n    go(x)…'],
    ['…go(x) More of it.', '    go(x)\n\nMore of it.'],
    ['not in there', 'not in there'],
    ['', ''],
  ])('%j', (fragment, expected) => {
    expect(readExcerpt({ fragment, content })).toBe(expected)
  })

  test('keeps the fragment of a result without content', () => {
    expect(readExcerpt({ fragment: '…a loop', content: null })).toBe('…a loop')
  })
})
