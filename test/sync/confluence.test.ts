// Sources of type confluence, read from a stand-in that replays documented responses of Cloud and Data Center.
import { afterEach, describe, expect, test } from 'vitest'
import { type ConfluenceServer, openConfluence } from '../confluence/confluence-server.ts'
import { credentials, type Lab, openLab } from './lab.ts'

const uuid = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c0a'
const email = 'ann@docs.test'
const token = 'hunter2'
const basic = `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`

const editions = {
  cloud: { credentials: { email, token }, authorization: basic },
  'data-center': { credentials: { token }, authorization: `Bearer ${token}` },
} as const
type EditionName = keyof typeof editions
const names = Object.keys(editions) as EditionName[]

let confluence: ConfluenceServer
let lab: Lab
afterEach(async () => {
  await confluence?.close()
})

async function open(edition: EditionName, { spaceKey = 'DOC' } = {}) {
  confluence = await openConfluence(edition)
  confluence.authorization = editions[edition].authorization
  lab = await openLab({ network: { lookup: async () => ['127.0.0.1'] } })
  await lab.addSource({
    ...{
      uuid,
      type: 'confluence',
      url: confluence.base,
      options: { spaceKey },
    },
    credentials: credentials.seal(uuid, editions[edition].credentials),
  })
}

function write(id: string, title: string, storage: string) {
  const version = (confluence.pages.get(id)?.version ?? 0) + 1
  confluence.pages.set(id, { title, version, storage })
}

const pages = async () => lab.store.pages.scan(lab.project, null, 1_000)
const titles = async () => (await pages()).map(({ title }) => title).sort()
const lastError = async () => (await lab.store.sources.get(lab.project, uuid))!.lastError
/** Paths of requested bodies. */
const bodies = () =>
  confluence.asked
    .splice(0)
    .filter(({ path }) => path.includes('storage'))
    .map(({ path }) => path)

async function contentOf(title: string) {
  const page = (await pages()).find((each) => each.title === title)
  return (await lab.store.pages.content(page!.uuid))!
}

describe.each(names)('a space of %s', (edition) => {
  test('is read completely, then only where versions differ; unlisted pages are removed', async () => {
    await open(edition)
    for (let id = 1; id <= 5; id++) write(String(id), `Page ${id}`, `<p>Words of ${id}.</p>`)
    expect((await lab.sync()).pages).toMatchObject({ discovered: 5, added: 5, failed: 0, skipped: 0 })
    const first = edition === 'cloud' ? '/spaces/DOC/pages/1/Page+1' : '/display/DOC/Page+1'
    expect((await pages()).map(({ url }) => url)).toContain(confluence.base + first)

    bodies()
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 5, added: 0, updated: 0 })
    expect(bodies()).toEqual([])

    write('2', 'Page 2', '<p>Other words.</p>')
    confluence.pages.delete('4')
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 3, updated: 1, removed: 1 })
    expect(bodies()).toHaveLength(1)
    expect(await titles()).toEqual(['Page 1', 'Page 2', 'Page 3', 'Page 5'])
    expect(JSON.stringify((await contentOf('Page 2')).sections)).toContain('Other words.')
  })

  test('headings have the anchors of the server', async () => {
    await open(edition)
    write(
      '1',
      'The Guide',
      '<p>Lead.</p><h1>First steps!</h1><p>One.</p><h2>First <em>steps!</em></h2><p>Two.</p>',
    )
    await lab.sync()
    const { sections } = await contentOf('The Guide')
    const found = sections.map(({ heading, anchor, path }) => [heading, anchor, path])
    const [name, second] =
      edition === 'cloud'
        ? ['First-steps!', 'First-steps!.1']
        : ['TheGuide-Firststeps!', 'TheGuide-Firststeps!.1']
    expect(found).toContainEqual(['First steps!', name, []])
    expect(found).toContainEqual(['First steps!', second, ['First steps!']])
  })

  test('a page that includes others is read again if one of them has changed', async () => {
    await open(edition)
    const include = (title: string, macro = 'include') =>
      `<ac:structured-macro ac:name="${macro}"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="${title}" /></ac:link></ac:parameter></ac:structured-macro>`
    const excerpt = (text: string) =>
      `<ac:structured-macro ac:name="excerpt"><ac:rich-text-body><p>${text}</p></ac:rich-text-body></ac:structured-macro>`
    write(
      '1',
      'Outer',
      `<p>Outside.</p>${include('Inner')}${include('Short', 'excerpt-include')}${include('Missing')}`,
    )
    write('2', 'Inner', `<p>Inside.</p>${include('Outer')}${include('Inner')}`)
    write('3', 'Short', `<p>The long of it.</p>${excerpt('In short.')}`)
    write('4', 'Other', '<p>Alone.</p>')
    await lab.sync()
    const text = async () => JSON.stringify((await contentOf('Outer')).sections)
    expect(await text()).toMatch(/Outside\..*Inside\..*In short\./)
    expect(await text()).not.toMatch(/The long|Outside\..*Outside\./)
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 4 })
    write('3', 'Short', `<p>The long of it.</p>${excerpt('Shorter.')}`)
    // Inner includes it too, through Outer.
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 1, updated: 3 })
    expect(await text()).toContain('Shorter.')
    confluence.pages.delete('2')
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 2, updated: 1, removed: 1 })
    expect(await text()).not.toContain('Inside.')
  })

  test('the token is sent only as a header and appears nowhere else', async () => {
    await open(edition)
    write('1', 'One', '<p>Words.</p>')
    confluence.authorization = 'Bearer other'
    const refused = await lab.sync()
    expect(await lastError()).toMatch(
      /^The space could not be read\. The server answered 401\. Are the token and/,
    )
    confluence.authorization = editions[edition].authorization
    const run = await lab.sync()
    expect(await lastError()).toBeNull()
    expect(await titles()).toEqual(['One'])
    const said = JSON.stringify([
      ...[await lab.eventsOf(refused), await lab.eventsOf(run), await pages()],
      confluence.asked.map(({ path }) => path),
    ])
    for (const secret of [token, email, editions[edition].authorization]) expect(said).not.toContain(secret)
  })

  test('it waits as long as requested and continues', async () => {
    await open(edition)
    for (let id = 1; id <= 3; id++) write(String(id), `Page ${id}`, `<p>Words of ${id}.</p>`)
    const refused = new Set<string>()
    confluence.answer = (path, _, response) => {
      if (refused.has(path)) return false
      refused.add(path)
      response.writeHead(429, { 'retry-after': '0' }).end()
      return true
    }
    expect((await lab.sync()).pages).toMatchObject({ added: 3, failed: 0 })
    expect(await lastError()).toBeNull()
  })

  test('a nonexistent space fails with a sentence', async () => {
    await open(edition, { spaceKey: '../NOPE' })
    expect((await lab.sync()).status).toBe('failed')
    expect(await lastError()).toMatch(/The server shows no space \.\.\/NOPE\. Is the key right/)
  })

  test.each([
    [403, /answered 403\. May the account/],
    [404, /answered 404\. Is its address right/],
    [429, /answered 429\. It limits the rate of requests/],
    [500, /answered 500\./],
  ])('if the server answers %d, only the source fails, and its pages remain', async (status, sentence) => {
    await open(edition)
    write('1', 'One', '<p>Words.</p>')
    await lab.sync()
    confluence.answer = (_, __, response) => {
      response.writeHead(status).end()
      return true
    }
    expect((await lab.sync()).status).toBe('failed')
    expect(await lastError()).toMatch(sentence)
    expect(await titles()).toEqual(['One'])
  })

  test.each<[string, (base: string, path: string) => object | string, RegExp]>([
    [
      'leads to another server',
      () => list('http://evil.test/rest/api/content?start=2'),
      /lies at another server/,
    ],
    ['leads to no address', () => list('http://'), /lies at another server/],
    ['leads back to itself', (_, path) => list(path), /does not end/],
    ['is no JSON', () => '<html>Log in</html>', /response is not from Confluence/],
    [
      'is of another shape',
      () => ({ results: [{ id: '../1', title: 7 }] }),
      /response is not from Confluence/,
    ],
    ['nests without end', () => `{"results":${'['.repeat(100_000)}`, /response is not from Confluence/],
  ])('a list that %s is rejected, and the pages remain', async (_, answer, sentence) => {
    await open(edition)
    write('1', 'One', '<p>Words.</p>')
    await lab.sync()
    confluence.asked.splice(0)
    confluence.answer = (path, __, response) => {
      if (!/\/pages\?|\/content\?/.test(path)) return false
      const body = answer(confluence.base, path)
      response.writeHead(200).end(typeof body === 'string' ? body : JSON.stringify(body))
      return true
    }
    expect((await lab.sync()).status).toBe('failed')
    expect(await lastError()).toMatch(sentence)
    expect(await titles()).toEqual(['One'])
    expect(confluence.asked.length).toBeLessThan(20)
  })
})

const list = (next: string) => ({
  results: [{ id: '1', title: 'One', version: { number: 1 }, _links: { webui: '/display/DOC/One' } }],
  _links: { next },
})

test.each([
  ['100,000 ids', 30_000, 4],
  ['2,000 answers', 1, 2_000],
])('an endless list is cut after %s, even if every page has the same address', async (_, ids, answers) => {
  await open('data-center')
  let lists = 0
  confluence.answer = (path, __, response) => {
    if (!path.includes('/content?')) return false
    const results = Array.from({ length: ids }, (___, at) => ({
      ...{ id: String(1 + lists * ids + at), title: 'One', version: { number: 1 } },
      _links: { webui: '/display/DOC/One' },
    }))
    lists += 1
    const _links = { next: `/rest/api/content?spaceKey=DOC&start=${lists}` }
    response.writeHead(200).end(JSON.stringify({ results, _links }))
    return true
  }
  const run = await lab.sync()
  expect(lists).toBe(answers)
  const [warning] = (await lab.eventsOf(run, 'source_started')).filter(({ level }) => level === 'warning')
  expect(warning!.message).toContain('lists more than 100,000 pages, or takes more than 2,000 answers')
})

test('the address of a page is always on its server, whatever the response says', async () => {
  await open('data-center')
  confluence.answer = (path, _, response) => {
    if (!path.includes('/content?')) return false
    const page = (id: string, webui: string) => ({ id, title: id, version: { number: 1 }, _links: { webui } })
    const results = [page('1', 'https://evil.test/a'), page('2', '//evil.test/b'), page('3', '/../../c')]
    response.writeHead(200).end(JSON.stringify({ results, _links: {} }))
    return true
  }
  for (const id of ['1', '2', '3']) write(id, id, '<p>Words.</p>')
  await lab.sync()
  expect(await titles()).toEqual(['1', '2', '3'])
  for (const { url } of await pages()) expect(url.startsWith(`${confluence.base}/`)).toBe(true)
})

test('a redirect to another server does not get the token', async () => {
  await open('data-center')
  const other = await openConfluence('data-center')
  confluence.answer = (path, _, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${other.port}${path}` }).end()
    return true
  }
  await lab.sync()
  expect(other.asked.length).toBeGreaterThan(0)
  for (const { authorization } of other.asked) expect(authorization).toBeUndefined()
  await other.close()
})
