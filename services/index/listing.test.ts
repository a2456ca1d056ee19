// Distinguishes pages and units that only list from those that explain, by their shape.
import { describe, expect, test } from 'vitest'
import { extract } from '../../crawler/extract/extract.ts'
import { toUnits } from './units.ts'

function listingsOf(html: string): number[] {
  const url = 'https://docs.example.org/a.html'
  const { version, ...page } = extract(`<body>${html}`, url)
  const content = { ...page, docVersion: version }
  const of = { uuid: 'u', version: 1, url, sourceType: 'site' as const, docVersion: null, language: null }
  return toUnits(of, content).map(({ listing = 0 }) => listing)
}

const prose = `<p>${'The tide turns twice a day and the harbour fills slowly. '.repeat(8)}</p>`
const entries =
  '<ul><li>The tide table is read at once when a harbour opens, without waiting for its gates.</ul>'

describe('share of a page that is a list', () => {
  test.each([
    ['prose', prose, 0],
    ['prose with a link', `${prose}<p>See the <a href="x">tide tables of every harbour</a>.</p>`, 0.11],
    ['links within the page', '<p><a href="#a">tide</a> <a href="#b">harbour</a></p>', 0],
    ['only links', '<ul><li><a href="a">tide</a><li><a href="b">harbour</a></ul>', 1],
    [
      'lines that start with a link',
      '<ul><li><a href="a">tide</a>: how the water rises and falls in each of the harbours, day by day</ul>',
      1,
    ],
    [
      'rows that start with a link',
      '<table><tr><td><a href="a">tide</a><td>how the water rises and falls in each harbour, day by day</table>',
      1,
    ],
    ['a list of names', '<ul><li>tide<li>harbour<li>gate</ul>', 0.5],
    ['a list of sentences', entries, 0],
    [
      'options with links inside',
      `<dl><dt><code>--tide</code><dd>As <a href="x">the table</a> has it. ${prose}</dl>`,
      0.04,
    ],
    [
      'code',
      '<p><a href="x">tide</a></p><pre>open harbour --gate 3 --gate 4 --gate 5 # and so on</pre>',
      0.15,
    ],
    ['a page without text', '<h1>Tides</h1>', 1],
  ])('%s', (_, html, listing) => expect(listingsOf(html)).toEqual([listing]))

  test('a unit is judged by its own shape and by that of its page', () => {
    const [prosaic, links] = listingsOf(
      `<h2>Tides</h2>${prose}<h2>See also</h2><p><a href="x">harbour</a></p>`,
    )
    expect(prosaic).toBeLessThan(0.05)
    expect(links).toBeGreaterThan(0.5)
    expect(links).toBeLessThan(0.55)
  })

  test('a definition without text is no list', () => {
    expect(listingsOf(`${prose}<dl><dt id="tide">tide()</dt><dd></dd></dl>`)).toEqual([0, 0])
  })

  test('each part of a long list has its share of the links', () => {
    const line =
      '<li>harbour of the <a href="x">tides</a>, where the gates are opened at dawn, at noon and at dusk</li>'
    const units = listingsOf(`<ul>${line.repeat(60)}</ul>`)
    expect(units.length).toBeGreaterThan(1)
    for (const listing of units) expect(listing).toBeCloseTo(0.12, 1)
  })
})

describe('a change log', () => {
  const log = (title: string, html: string) => listingsOf(`<h1>${title}</h1>${html}`)

  test.each([
    'Release 15.3',
    'What’s New in Tideline 3.8',
    '2.1.0 (2024-05-01)',
    '[0.9.0-rc1] - 2024-05-01',
    '2024-05-01, Tideline twenty',
    '0.47.3 (August 24, 2025)',
    'Version 1.3.0 – 5. März 2024',
  ])('%s: its lists count as lists, its prose as half', (title) => {
    expect(log(title, `${entries}<h2>Gates</h2>${prose}`)).toEqual([1, 0.5])
  })

  test.each([
    '2.1 First steps',
    'Tide-API 2.0 interface of harbours',
    'Chapter 3',
    'Tides of 1990',
    'Tide 2.0 in 2024 and later',
  ])('%s is not one', (title) => expect(log(title, `${entries}<h2>Gates</h2>${prose}`)).toEqual([0, 0]))

  test('a page without lists is not one', () => expect(log('Speaking TLS 1.3', prose)).toEqual([0]))

  test('recognized by a date on its own line at the top', () => {
    expect(log('Release 15', `<p>Release date: 2022-10-13</p>${entries}`)[0]).toBeGreaterThan(0.8)
    expect(
      log('Release 15', `<p>On 2022-10-13 the harbour had opened all its gates to the tides.</p>${entries}`),
    ).toEqual([0])
  })

  test('recognized by at least three version headings with most of the text below them', () => {
    const release = (name: string) => `<h2>${name}</h2><p>Fixed</p><h3>${name} gates</h3>${entries}`
    const three = ['1.2.0', 'v1.1', '1.0'].map(release).join('')
    expect(log('Changes', `${entries}${three}`)).toEqual([1, 0.5, 1, 0.5, 1, 0.5, 1])
    const two = ['1.2.0', '1.1'].map(release).join('')
    expect(Math.max(...log('Changes', `${entries}${two}`))).toBeLessThan(0.1)
    expect(log('Changes', `${three}<h2>Gates</h2>${prose}`).at(-1)).toBe(0)
  })
})
