// What is compressed, given what a client accepts.
import { describe, expect, it } from 'vitest'
import type { HttpResponse } from './http.ts'
import { compress, prefersCsv, toCsv } from './negotiate.ts'

const body = 'data: more of the same\n\n'.repeat(100)
const answer = (headers: Record<string, string>): HttpResponse => ({ status: 200, headers, body })

it('does not compress an event stream', async () => {
  const events = answer({ 'content-type': 'text/event-stream' })
  expect(await compress(events, 'gzip')).toBe(events)
})

it('does not compress an encoded body again', async () => {
  const encoded = answer({ 'content-type': 'text/plain', 'content-encoding': 'zstd' })
  expect(await compress(encoded, 'gzip')).toBe(encoded)
})

it('extends Vary', async () => {
  const csv = answer({ 'content-type': 'text/csv; charset=utf-8', vary: 'accept' })
  expect((await compress(csv, 'gzip')).headers).toMatchObject({
    vary: 'accept, accept-encoding',
    'content-encoding': 'gzip',
  })
})

it('compresses a file once for all readers', async () => {
  const file = { ...answer({ 'content-type': 'text/css' }), encoded: new Map() }
  const bodies = await Promise.all(['br', 'gzip, br', 'gzip', 'gzip'].map((each) => compress(file, each)))
  expect(bodies[0]!.body).toBe(bodies[1]!.body)
  expect(bodies[2]!.body).toBe(bodies[3]!.body)
  expect([...file.encoded.keys()]).toEqual(['br', 'gzip'])
})

describe('CSV', () => {
  it('is one table of all lists in the response', () => {
    const answer = {
      start_date: '2026-01-01',
      totals: { searches: 3, click_rate: 0.5 },
      daily: [
        { date: '2026-01-01', searches: 3, click_rate: 0.5 },
        { date: '2026-01-02', searches: 0, click_rate: 0 },
      ],
      top_queries: [{ query: 'a, "b"\nc', count: 2 }],
      top_clicked: [{ url: 'https://docs.test/', title: null, count: 1 }],
      content_gaps: [{ question: 'q', count: 1, examples: ['one', 'two'] }],
    }
    expect(toCsv(answer)).toBe(
      [
        'part,searches,click_rate,date,query,count,url,title,question,examples',
        'totals,3,0.5,,,,,,,',
        'daily,3,0.5,2026-01-01,,,,,,',
        'daily,0,0,2026-01-02,,,,,,',
        'top_queries,,,,"a, ""b""\nc",2,,,,',
        'top_clicked,,,,,1,https://docs.test/,,,',
        'content_gaps,,,,,1,,,q,one; two',
        '',
      ].join('\r\n'),
    )
  })

  it('starts no formula in a cell if semicolons separate the cells', () => {
    expect(toCsv({ rows: [{ text: 'x;=1+1', list: ['a', '=2'] }] })).toContain("rows,x;'=1+1,a; '=2\r\n")
  })

  it.each(['=1+1', '+1', '-1', '@a', '\t=1', ' =1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
    'starts no formula in a cell: %j',
    (query) => {
      const csv = toCsv({ top_queries: [{ query }] })
      expect(csv).toMatch(/top_queries,"?'/)
      expect(csv).toContain(`'${query}`)
    },
  )

  it.each([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, */*;q=0.1', true],
    ['application/json, text/csv;q=0.9', false],
    ['text/csv;q=0.5, application/json', false],
    ['application/json, text/csv', false],
    ['text/csv;q=0', false],
    ['*/*', false],
    ['text/html', false],
    ['', false],
  ])('accept: %s → CSV: %s', (accept, expected) => {
    expect(prefersCsv(accept)).toBe(expected)
  })
})
