// Query strings, also as old clients write them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListChatsRequestSchema } from '../gen/lectern/v1/chat_pb.js'
import { SearchRequestSchema } from '../gen/lectern/v1/search_pb.js'
import { readPastedQuery, readQuery, toQueryJson } from './query.ts'

describe('readQuery', () => {
  it('reads what URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
        const written = new URLSearchParams(pairs).toString()
        expect([...readQuery(written)]).toEqual(pairs)
      }),
    )
  })

  it('never throws, whatever is pasted into it', () => {
    const pasted = fc.string({ unit: fc.constantFrom('%', 'é', '+', '&', '=', '?', 'a', '2', 'F', '\ud800') })
    fc.assert(fc.property(pasted, (raw) => readQuery(raw) instanceof Map))
  })

  it.each([
    ['q=100%25+sure', '100% sure'],
    ['q=100% sure', '100% sure'],
    ['q=%zz%E4%2', '%zz%E4%2'],
    ['q=%C3%A9%E4x', '%C3%A9%E4x'],
    ['q=a=b=c', 'a=b=c'],
    ['q=first&q=second', 'first'],
    ['q', ''],
    ['&&q=x&', 'x'],
  ])('%s → %s', (raw, q) => {
    expect(readQuery(raw).get('q')).toBe(q)
  })

  it('keeps a pasted URL unchanged', () => {
    const query = readQuery('q=a&url=https://d.example/p?x=1&limit=5')
    expect(Object.fromEntries(query)).toEqual({ q: 'a', url: 'https://d.example/p?x=1', limit: '5' })
  })
})

describe('toQueryJson', () => {
  const read = (raw: string, fields = SearchRequestSchema.fields) => toQueryJson(fields, readQuery(raw))

  it('has texts, numbers and lists, and ignores unknown parameters', () => {
    expect(read('q=x&limit=7&content_scope=all&search_type=hybrid&version=&fields=a, b')).toEqual({
      ...{ q: 'x', limit: 7, content_scope: 'all', fields: ['a', 'b'] },
    })
  })

  it.each(['1.5', 'ten', '', ' ', '0x10', '1e3'])('keeps an invalid number unchanged: %j', (limit) => {
    expect(read(`limit=${limit}`)).toEqual({ limit })
  })

  it('treats an empty parameter as absent, unless it is a number', () => {
    expect(read('content_scope=&version=&fields=&limit=')).toEqual({ limit: '' })
    const numbers = { reaction: '', offset: '' }
    expect(read('outcome=&reaction=&offset=', ListChatsRequestSchema.fields)).toEqual(numbers)
  })

  it('reads whole numbers of any size and sign', () => {
    expect(read('limit=99999999999999999999')).toEqual({ limit: 2 ** 31 - 1 })
    expect(read('limit=-1')).toEqual({ limit: -1 })
  })
})

describe('readPastedQuery', () => {
  it.each([
    [
      'q=x&domain_filter=&url=https://d.example/?q=y&limit=9',
      { q: 'x', domain_filter: '', url: 'https://d.example/?q=y&limit=9' },
    ],
    ['q=x&limit=5&url=https://d.example/?', { q: 'x', limit: '5', url: 'https://d.example/?' }],
    ['q=x&url=https://d.example/a&limit=5', { q: 'x', url: 'https://d.example/a', limit: '5' }],
    [
      'q=x&url=https%3A%2F%2Fd.example%2F%3Fa%3D1&limit=5',
      { q: 'x', url: 'https://d.example/?a=1', limit: '5' },
    ],
    ['q=what is curl?&limit=5', { q: 'what is curl?', limit: '5' }],
    ['url=https://d.example/?a&b', { url: 'https://d.example/?a&b' }],
    ['', {}],
  ])('%s', (raw, expected) => {
    expect(Object.fromEntries(readPastedQuery(raw))).toEqual(expected)
  })

  it('reads text without a pasted URL like any query', () => {
    const raw = fc.string({ unit: fc.constantFrom('%', '&', '=', 'url', 'a', '2', '+') })
    fc.assert(
      fc.property(raw, (raw) => {
        expect(readPastedQuery(raw)).toEqual(readQuery(raw))
      }),
    )
  })
})
