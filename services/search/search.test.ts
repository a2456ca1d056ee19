import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { Section } from '../../crawler/extract/page.ts'
import { createFolder } from '../../test/folder.ts'
import { noVectors } from '../../test/no-vectors.ts'
import { unfiltered } from '../../test/unfiltered.ts'
import { DomainError } from '../errors.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { toUnits } from '../index/units.ts'
import type { Store } from '../store/store.ts'
import { createSearch, type SearchQuery } from './search.ts'
import { encodeVocabulary } from './vocabulary.ts'

const project = '0b9dfc2e-6d0a-4d0e-9d7c-3f1f6a1c2b3d'
const filler = 'This part of the manual says more about things that programs do with files, tasks and time. '

const section = (heading: string, text: string, kind: Section['kind'] = 'heading'): Section => ({
  kind,
  anchor: heading.toLowerCase().replace(/\W+/g, '-'),
  heading,
  path: [],
  blocks: [{ kind: 'paragraph', text }],
})

const pages: Record<string, Section[]> = {
  tasks: [
    section('Tasks', 'Tasks run at the same time. See asyncio.create_task.'),
    section(
      'asyncio.create_task(coro)',
      'Wraps a coroutine into a task and plans its execution.',
      'definition',
    ),
    section('Waiting', `Wait for a task with a timeout. ${filler}`),
    section('Stopping', `Cancel a task. ${filler}`),
    section('Grouping', `A task group. ${filler}`),
  ],
  subprocess: [
    section('subprocess', 'Run other programs.'),
    section(
      'subprocess.run(args, timeout)',
      `Runs a command. Ends it after the timeout. ${filler.repeat(8)}`,
      'definition',
    ),
  ],
  gates: [
    {
      ...section('open_gate(tide)', 'Turns the wheel.', 'definition'),
      also: [{ heading: 'raise_gate(tide)', anchor: 'raise' }],
    },
  ],
  sorting: [section('Sorting', `How to sort lists: the sorted function. ${filler}`)],
  ledger: [
    { ...section('Ledger API', ''), blocks: [], anchor: 'top' },
    { ...section('Accounts', ''), blocks: [], path: ['Ledger API'] },
    {
      ...section('Opening accounts', 'Each account has a number. Write `open` to get one.'),
      path: ['Ledger API', 'Accounts'],
    },
    { ...section('Bookings', 'What was booked stays.'), path: ['Ledger API'] },
    { ...section('Glossary', ''), blocks: [] },
    section('Imprint', 'Printed somewhere.'),
  ],
  german: [section('Größe', 'Die Größe der Datei.')],
}

const folder = createFolder()
const current = new Map<string, number>()

const index = await openSegmentIndex(folder)
for (const [name, sections] of Object.entries(pages)) {
  const page = {
    uuid: name,
    version: 2,
    url: `https://x.org/${name}.html`,
    sourceType: 'site' as const,
  }
  const content = {
    title: sections[0]!.heading,
    language: name === 'german' ? 'de' : 'en',
    docVersion: null,
    boost: 1,
    keywords: [],
    links: [],
    sections,
  }
  const units = toUnits(page, content)
  await index.add(project, [...units, ...toUnits({ ...page, version: 1 }, content)])
  current.set(name, 2)
}
const terms = encodeVocabulary(await index.vocabulary(project))
const store = {
  vocabulary: { version: async () => 1, read: async () => ({ version: 1, terms }) },
  pages: { current: async () => current, content: async () => null },
} as unknown as Store
const { search, passages } = createSearch({ store, index, questionVectors: noVectors })
afterAll(() => index.close())

async function ask(q: string, other: Partial<SearchQuery> = {}) {
  return (await search({ project, q, limit: 10, ...unfiltered, ...other })).results
}
const best = async (q: string) => (await ask(q))[0]?.url

describe('a heading without text', () => {
  const opening = 'Each account has a number. Write `open` to get one.'

  it('adds its name to the sections below it, and is no result', async () => {
    const url = 'https://x.org/ledger.html#opening-accounts'
    expect((await ask('ledger api'))[0]).toMatchObject({ url, fragment: opening, content: opening })
    expect((await ask('accounts'))[0]).toMatchObject({ title: 'Opening accounts', url })
    expect(await ask('glossary')).toEqual([])
  })

  it.each(['ledger', 'ledger api', 'accounts', 'number'])('shows a text once: %s', async (q) => {
    const contents = (await ask(q)).map(({ content }) => content)
    expect(contents).toContain(opening)
    expect(new Set(contents).size).toBe(contents.length)
  })

  it('has text in an answer, too', async () => {
    const found = (await passages({ project, q: 'ledger', limit: 10, ...unfiltered })).passages
    expect(found.filter(({ text }) => text === opening).length).toBe(1)
    for (const { text } of found) expect(text).not.toBe('')
  })
})

describe('search', () => {
  const definition = 'https://x.org/tasks.html#asyncio-create_task-coro-'
  const run = 'https://x.org/subprocess.html#subprocess-run-args-timeout-'
  const examples: [string, string, string][] = [
    ['a whole identifier', 'asyncio.create_task', definition],
    ['a part of it', 'create_task', definition],
    ['a prefix', 'asyncio.crea', definition],
    ['a typo', 'asyncio.craete_task', definition],
    ['a wrong first letter', 'xorting ', 'https://x.org/sorting.html#sorting'],
    ['a question', 'how to run a command with a timeout', run],
    ['another form of a word', 'sorts ', 'https://x.org/sorting.html#sorting'],
    ['without its accents', 'grosse', 'https://x.org/german.html#gr-e'],
    ['a title', 'Tasks', 'https://x.org/tasks.html#tasks'],
    ['the first of several names', 'open_gate', 'https://x.org/gates.html#open_gate-tide-'],
    ['another of several names', 'raise_gate', 'https://x.org/gates.html#raise'],
    ['the prefix of another', 'raise_g', 'https://x.org/gates.html#raise'],
  ]
  for (const [what, q, url] of examples) it(`finds by ${what}`, async () => expect(await best(q)).toBe(url))

  it('returns headings that start with a single letter', async () => {
    expect((await ask('s')).map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Sorting', 'subprocess']),
    )
  })

  it('shows at most three sections of a page, each once, and only current versions', async () => {
    const results = await ask('task')
    expect(results.filter(({ documentId }) => documentId === 'tasks')).toHaveLength(3)
    expect(new Set(results.map(({ url }) => url)).size).toBe(results.length)
    current.delete('sorting')
    expect(await ask('sorting ')).toEqual([])
    current.set('sorting', 2)
  })

  it('filters by URL, language and source type', async () => {
    expect(await ask('coroutine', { urlFilter: { field: 'domain_filter', pattern: 'SUBPROCESS' } })).toEqual(
      [],
    )
    expect(
      (await ask('files', { urlFilter: { field: 'domain_filter', pattern: 'sorting\\.html$' } })).map(
        ({ documentId }) => documentId,
      ),
    ).toEqual(['sorting'])
    expect((await ask('datei', { language: 'de' })).length).toBe(1)
    expect(await ask('datei', { language: 'en' })).toEqual([])
    expect(await ask('task', { sourceTypes: ['file'] })).toEqual([])
  })

  it('rejects an invalid pattern', async () => {
    await expect(ask('task', { urlFilter: { field: 'domain_filter', pattern: '(' } })).rejects.toBeInstanceOf(
      DomainError,
    )
  })

  it('shows at most 300 characters around the match', async () => {
    for (const { fragment } of await ask('command timeout')) expect(fragment.length).toBeLessThanOrEqual(300)
    const [result] = await ask('command timeout')
    expect(result).toMatchObject({
      domain: 'x.org',
      pageTitle: 'subprocess',
      sourceType: 'site',
      isTitleMatch: false,
    })
    expect(result?.fragment).toContain('Runs a command. Ends it after the timeout.')
  })

  it('returns the headings above a section, without the title of the page', async () => {
    const [result] = await ask('opening accounts')
    expect(result).toMatchObject({ title: 'Opening accounts', headings: ['Accounts'] })
  })

  it('requires quoted words in order', async () => {
    expect(await best('"a task group"')).toBe('https://x.org/tasks.html#grouping')
  })

  for (const q of [
    '?',
    '   ',
    '"',
    '...',
    '\u0000',
    'x'.repeat(500),
    '💥',
    '((((',
    'a b c d e f '.repeat(40),
  ]) {
    it(`accepts ${JSON.stringify(q.slice(0, 20))}`, async () =>
      expect(Array.isArray(await ask(q))).toBe(true))
  }
})

describe('passages', () => {
  const find = (q: string, limit = 10) => passages({ project, q, limit, ...unfiltered })

  it('are what a search finds, in full', async () => {
    const q = 'how to run a command with a timeout'
    const found = (await find(q)).passages
    expect(found.map(({ url }) => url)).toEqual((await ask(`${q}?`)).map(({ url }) => url))
    expect(found[0]).toMatchObject({
      unit: 'subprocess:2:1',
      page: 'subprocess',
      pageTitle: 'subprocess',
      title: 'subprocess.run(args, timeout)',
      similarity: null,
    })
    expect(found[0]!.text).toContain('Ends it after the timeout.')
    expect(found[0]!.contentHash).toBe(createHash('sha256').update(found[0]!.text).digest('hex'))
  })

  it('match the last word of a question exactly', async () => {
    expect((await ask('fi')).length).toBeGreaterThan(0)
    expect((await find('fi')).passages).toEqual([])
  })

  it('return the words of the question without stop words, and those that each passage lacks', async () => {
    const { words, passages } = await find('How do I sort with Zookeeper?')
    expect(words).toEqual(['sort', 'zookeeper'])
    expect(passages[0]!.lacks).toEqual(['zookeeper'])
    expect((await find('how to')).words).toEqual(['how', 'to'])
  })

  it('return the share of the question that they have, in any form of its words', async () => {
    const coverageOf = async (q: string) => (await find(q)).passages[0]!.coverage
    expect(await coverageOf('How do I sort a list?')).toBe(1)
    expect(await coverageOf('waiting for tasks with a timeout')).toBe(1)
    const half = await coverageOf('sorting with zookeeper')
    expect(half).toBeGreaterThan(0.1)
    expect(half).toBeLessThan(0.6)
  })

  it('are found with an unambiguous typo corrected, which is not unknown, and return the correction', async () => {
    const { passages, ...typed } = await find('How do I run a comand with a timeuot?')
    expect(typed).toMatchObject({
      q: 'How do I run a command with a timeout?',
      corrections: [
        { typed: 'comand', term: 'command' },
        { typed: 'timeuot', term: 'timeout' },
      ],
      unknownWords: [],
      words: ['run', 'command', 'timeout'],
    })
    expect(passages).toEqual((await find('How do I run a command with a timeout?')).passages)
  })

  it('return the words that no page has', async () => {
    expect((await find('How does Zookeeper sort the tasks in Grafana?')).unknownWords).toEqual([
      'zookeeper',
      'grafana',
    ])
    expect((await find('sorted lists, create-task')).unknownWords).toEqual([])
  })
})
