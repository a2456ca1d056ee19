import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLanguages } from '../../test/read-languages.ts'
import { type Claim, createJudge, findQuote, type Meaning, toMeaning } from './citation-check.ts'

const passage = {
  title: 'Pool.connect()',
  text: `Opens a connection to the server. A call waits 30 seconds for a free connection, or as long as
\`idle_timeout\` says. It does not try again.

- \`--retries=3\` makes the command try three times.
- Closed pools accept no calls.
- Closing a pool drops its connections without asking.

\`\`\`python
pool = Pool(size=4)
conn = pool.connect()
\`\`\``,
}
const german = {
  title: 'Verbindungen',
  text: 'Der Server nimmt höchstens zehn Verbindungen gleichzeitig an. Weitere Anfragen werden nicht abgewiesen, sondern warten.',
}
const open = new AbortController().signal
const byWords = createJudge(null, null, readLanguages)
const prose = (text: string): Claim => ({ kind: 'prose', text })

async function objection(claim: string | Claim, about = passage, judge = byWords): Promise<string | null> {
  const [found] = await judge.toObjections(
    [{ claim: typeof claim === 'string' ? prose(claim) : claim, passage: about }],
    open,
  )
  return found!
}

describe('facts', () => {
  const cases: [claim: string, objection: string | null][] = [
    ['A call waits 30 seconds for a free connection.', null],
    ['A call waits 40 seconds for a free connection.', 'the passage does not say 40'],
    ['A call waits as long as `idle_timeout` says.', null],
    ['A call waits as long as idle_timeout says.', null],
    ['A call waits as long as `read_timeout` says.', 'the passage does not name read_timeout'],
    ['With --retries=3 the command tries three times.', null],
    ['With --attempts=3 the command tries three times.', 'the passage does not name --attempts'],
    ['`pool.connect()` opens a connection to the server.', null],
    ['`pool.listen()` opens a connection to the server.', 'the passage does not name pool.listen()'],
  ]
  it.each(cases)('%s', async (claim, expected) => {
    expect(await objection(claim)).toBe(expected)
  })

  it('compares numbers without their group separators', async () => {
    const plain = {
      title: 'Limits',
      text: 'A table holds 1,024 columns, a row 0.5 MB. Version 3.11.2 is old.',
    }
    expect(await objection('A table holds 1024 columns, a row 0,5 MB.', plain)).toBeNull()
    expect(await objection('A table holds 1.024 columns.', plain)).toBeNull()
    expect(await objection('Version 3.11.3 is old.', plain)).toBe('the passage does not say 3.11.3')
    expect(await objection('A table holds 10 columns.', plain)).toBe('the passage does not say 10')
  })

  it('are the only check of a claim in another language', async () => {
    expect(await objection('Ein Aufruf wartet 30 Sekunden auf eine freie Verbindung zum Server.')).toBeNull()
    expect(await objection('Ein Aufruf wartet 40 Sekunden auf eine freie Verbindung zum Server.')).toBe(
      'the passage does not say 40',
    )
  })
})

describe('similarity', () => {
  it('by words: rejects a claim from another section', async () => {
    expect(await objection('Opening a connection to the server may wait for a free one.')).toBeNull()
    expect(await objection('Vacuum removes dead tuples from tables.')).toBe('the passage does not say this')
  })

  it('by pairs of ideographs, in scripts without spaces', async () => {
    const japanese = {
      title: '接続',
      text: 'サーバーは同時に十個の接続を受け付けます。それ以上の要求は待たされます。',
    }
    expect(await objection('サーバーは同時に接続を受け付けます。', japanese)).toBeNull()
    expect(await objection('索引は毎晩作り直されます。', japanese)).toBe('the passage does not say this')
  })

  it('of code: most of its words must be in the passage', async () => {
    expect(await objection({ kind: 'code', text: 'conn = pool.connect()' })).toBeNull()
    expect(await objection({ kind: 'code', text: 'rm -rf data' })).toBe('the passage does not hold this code')
  })

  it('rejects a claim that says nothing, or is too long', async () => {
    expect(await objection('…')).toBe('says nothing that could be checked')
    expect(await objection('connection '.repeat(300))).toBe('is too long to be checked')
  })

  /** Returns a judge whose model gives the nearest window this similarity. */
  const meaningOf = (similarity: number | null, languages: string[] | null = null) => {
    const compared: { text: string; others: string[] }[] = []
    const meaning: Meaning = {
      languages,
      minSimilarity: 0.5,
      async similarities(pairs) {
        compared.push(...pairs)
        return similarity === null ? null : pairs.map(({ others }) => others.map((_, at) => similarity - at))
      },
    }
    return { judge: createJudge(meaning, null, readLanguages), compared }
  }

  it('of code: rejects it if only half of its words are in the passage', async () => {
    const code = (text: string) => objection({ kind: 'code', text })
    expect(await code('pool = Pool(size=4)\nserver = listen(port)')).toBe(
      'the passage does not hold this code',
    )
    expect(await code('pool = Pool(size=4)\nconn = pool.connect(server)')).toBeNull()
  })

  it('by meaning: the threshold of the default model lies between .5 and .6', async () => {
    const local = { local: 'all-minilm-l6-v2', folder: 'models' }
    const at = (cosine: number) => {
      const meaning = toMeaning(local, async (texts) => texts.map(({ others }) => others.map(() => cosine)))
      return objection(
        'A pool that was closed takes nothing more.',
        passage,
        createJudge(meaning, null, readLanguages),
      )
    }
    expect([await at(0.5), await at(0.6)]).toEqual(['the passage does not say this', null])
  })

  it('by meaning: uses the most similar window', async () => {
    const free = 'Callers queue until somebody hands back what they borrowed.'
    expect(await objection(free)).toBe('the passage does not say this')
    expect(await objection(free, passage, meaningOf(0.5).judge)).toBeNull()
    expect(await objection('Opens a connection to the server.', passage, meaningOf(0.49).judge)).toBe(
      'the passage does not say this',
    )
  })

  it('by meaning: compares all claims in one call, without those that facts contradict', async () => {
    const { judge, compared } = meaningOf(0.9)
    const claims = ['Opens a connection to the server.', 'It waits 40 seconds.', 'A call waits.']
    await judge.toObjections(
      claims.map((text) => ({ claim: prose(text), passage })),
      open,
    )
    expect(compared.map(({ text }) => text)).toEqual([claims[0], claims[2]])
    expect(compared[0]!.others[0]).toBe('Opens a connection to the server.')
    expect(compared[0]!.others.length).toBeLessThanOrEqual(3)
  })

  it('falls back to words if the model is late or does not know the language', async () => {
    expect(await objection('Opens a connection to the server.', passage, meaningOf(null).judge)).toBeNull()
    const { judge, compared } = meaningOf(0, ['en'])
    expect(await objection('Der Server nimmt höchstens zehn Verbindungen an.', german, judge)).toBeNull()
    expect(compared).toEqual([])
  })

  it('uses meaning only with local models of known scale', () => {
    const similarities = async () => null
    expect(toMeaning({ local: 'all-minilm-l6-v2', folder: '/m' }, similarities)).toMatchObject({
      languages: ['en'],
    })
    expect(toMeaning({ local: 'multilingual-e5-small', folder: '/m' }, similarities)).toBeNull()
    expect(toMeaning({ url: 'http://h', model: 'all-minilm-l6-v2', key: null }, similarities)).toBeNull()
    expect(toMeaning(null, similarities)).toBeNull()
  })
})

describe('a verifying language model', () => {
  const claims = ['It waits 40 seconds.', 'Vacuum removes dead tuples.', 'Opens a connection to the server.']
  const pairs = claims.map((text) => ({ claim: prose(text), passage }))

  it('judges claims that facts do not contradict, whatever their similarity', async () => {
    const asked: string[] = []
    const judge = createJudge(
      null,
      async (open) => {
        asked.push(...open.map(({ claim }) => claim.text))
        return [true, false]
      },
      readLanguages,
    )
    expect(await judge.toObjections(pairs, open)).toEqual([
      'the passage does not say 40',
      null,
      'the language model finds no support',
    ])
    expect(asked).toEqual(claims.slice(1))
  })

  it('leaves claims that it did not judge to similarity', async () => {
    const judge = createJudge(null, async (open) => open.map(() => null), readLanguages)
    expect(await judge.toObjections(pairs, open)).toEqual([
      'the passage does not say 40',
      'the passage does not say this',
      null,
    ])
  })
})

describe('findQuote', () => {
  const text =
    'A call waits 300 seconds,\nor "as long" as `idle_timeout` says.\n\n- Set *it* to 3.11.\n\n```\nconn = a | b\n```'
  const cases: [quote: string, found: string | null][] = [
    ['A call waits 300 seconds', 'A call waits 300 seconds'],
    [
      'waits  300 seconds, or as long as idle_timeout says.',
      'waits 300 seconds, or "as long" as `idle_timeout` says.',
    ],
    ['waits 30', null],
    ['00 seconds', null],
    ['waits 400 seconds', null],
    ['a call waits', null],
    ['as idletimeout says', null],
    ['**Set it** to 3.11', 'Set *it* to 3.11.'],
    ['says. Set it to', 'says. - Set *it* to'],
    ['conn = a | b', 'conn = a | b'],
    ['', null],
    ['*"', null],
  ]
  it.each(cases)('%j', (quote, found) => expect(findQuote({ text }, quote)).toBe(found))

  it('shortens a long quotation, and finds it again', () => {
    const text = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')
    const found = findQuote({ text }, text)!
    expect(found.length).toBeLessThan(310)
    expect(findQuote({ text }, found)).toBe(found.replace('…', ''))
  })

  it('finds any copied text, despite other white space and markup, and no changed text', () => {
    const word = fc.stringMatching(/^[a-zé]{1,6}$/u)
    const words = fc.array(word, { minLength: 3, maxLength: 40, size: 'max' })
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (words, from, length) => {
        const start = from % words.length
        const own = words.slice(start, start + 1 + (length % 8))
        const found = findQuote({ text: words.join(' ') }, own.map((each) => `*${each}*`).join('\n '))
        expect(found?.replaceAll(' ', '')).toBe(own.join(''))
        expect(findQuote({ text: words.join(' ') }, [...own, 'X'].join(' '))).toBeNull()
      }),
    )
  })
})
