import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyze } from './analyze.ts'

describe('analyze', () => {
  const examples: [string, string[]][] = [
    ['asyncio.create_task()', ['asyncio.create_task', 'asyncio', 'create_task', 'create', 'creat', 'task']],
    ['os.path.join', ['os.path.join', 'path.join', 'os', 'path', 'join']],
    ['ThreadPoolExecutor', ['threadpoolexecutor', 'thread', 'pool', 'executor']],
    ['XMLHttpRequest', ['xmlhttprequest', 'xml', 'http', 'request']],
    ['--dry-run', ['--dry-run', 'dry-run', 'dry', 'run']],
    ['-O2', ['-o2', 'o2']],
    ['work_mem', ['work_mem', 'work', 'mem']],
    ['__init__', ['__init__', 'init']],
    ['C++, C#.', ['c++', 'c', 'c#', 'c']],
    ['/etc/hosts', ['/etc/hosts', 'etc/hosts', 'etc', 'hosts', 'host']],
    ['\\copy', ['\\copy', 'copy']],
    ['Größe café', ['grosse', 'gross', 'cafe', 'caf']],
    ['全文検索', ['全文', '文検', '検索']],
    ['ﾌﾟﾗｸﾞ', ['プラ', 'ラグ']],
    ['ｻｰﾊﾞｰ', ['サー', 'ーバ', 'バー']],
    ['プラグ'.normalize('NFD'), ['プラ', 'ラグ']],
    ['created creating queries', ['created', 'creat', 'creating', 'creat', 'queries', 'query']],
    ['the page’s', ['the', 'page', 'pag']],
    ['l’armure, qu’une dell’utente aujourd’hui', ['armure', 'armur', 'une', 'utente', 'utent', 'aujourdhui']],
    ["don't l' O'Brien", ['dont', 'l', 'obrien', 'o', 'brien']],
    ['a - b … !', ['a', 'b']],
    ['', []],
  ]
  for (const [text, terms] of examples) {
    it(`of ${JSON.stringify(text)}`, () => expect(analyze(text)).toEqual(terms))
  }

  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/)
  const identifier = fc
    .tuple(fc.array(name, { minLength: 1, maxLength: 5 }), fc.constantFrom('.', '_', '::', '-', '/'))
    .map(([names, joint]) => names.join(joint))

  it('keeps an identifier as one term, wherever it is in a text', () => {
    fc.assert(
      fc.property(identifier, fc.constantFrom(' ', '(', ', ', '"', '`'), (word, gap) => {
        const whole = word.toLowerCase()
        expect(analyze(word)).toContain(whole)
        expect(analyze(`see${gap}${word}${gap === '(' ? ')' : gap}now`)).toContain(whole)
      }),
    )
  })

  it('returns the same terms whatever the case of plain words', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), (word) => {
        expect(analyze(word.toUpperCase())).toEqual(analyze(word))
      }),
    )
  })

  it('makes no term of a mark alone, or of a ligature of words', () => {
    for (const mark of ['ﹲ', '´', '¨', 'ﷺ']) expect(analyze(mark)).toEqual([])
  })

  it('accepts any text and makes terms without white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const term of analyze(text)) expect(term).toMatch(/^\S{1,80}$/u)
      }),
    )
  })
})
