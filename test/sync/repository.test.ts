// Sources of type repository, read from Git's own server over https.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Source } from '../../services/store/source.ts'
import { type GitServer, openGitServer } from '../git/git-server.ts'
import { testCertificate } from '../loopback/loopback.ts'
import { credentials, type Lab, openLab } from './lab.ts'

const uuid = 'b0a4ff3e-76f2-4f0e-8f6e-0a6f3a5b1c0a'

let git: GitServer
let lab: Lab
beforeEach(async () => {
  git = await openGitServer()
})
afterEach(() => git.close())

async function open(fields: Partial<Source> = {}) {
  const network = { ca: await testCertificate(), lookup: async () => ['127.0.0.1'] }
  lab = await openLab({ network })
  return lab.addSource({ uuid, type: 'repository', url: git.url, ...fields })
}

const pages = async () => lab.store.pages.scan(lab.project, null, 1_000)
const titles = async () =>
  Object.fromEntries((await pages()).map(({ url, title }) => [url.slice(git.url.length), title]).sort())
const reasons = async (run: { uuid: string }) => {
  const events = [...(await lab.eventsOf(run, 'page_skipped')), ...(await lab.eventsOf(run, 'page_failed'))]
  return Object.fromEntries(events.map(({ url, reason }) => [url!.slice(git.url.length), reason]))
}
const lastError = async () => (await lab.store.sources.get(lab.project, uuid))!.lastError

async function contentOf(path: string) {
  const [page] = await lab.store.pages.byUrls(lab.project, [`${git.url}/blob/main/${path}`])
  return (await lab.store.pages.content(page!.uuid))!
}

const formats = {
  'README.md':
    '---\ntitle: The Guide\ndescription: What it is for.\n---\n# Welcome\n\nWords.\n\n## First steps!\n\n`run` it.\n',
  'docs/tabs.mdx': 'import Tabs from "@theme/Tabs"\n\n# Tabs\n\n<Tabs>\n\nInside of **tabs**.\n\n</Tabs>\n',
  'docs/old.rst':
    'The Old Way\n===========\n\nSee :ref:`the rest <rest>`.\n\nUsing it\n--------\n\nLike this::\n\n    make old\n\n.. note:: It is old.\n',
  'docs/book.adoc':
    '= The Book\n\nA preface.\n\n== Chapter one\n\nIt begins with *care*.\n\n----\nmake book\n----\n',
  'notes.txt': 'Plain words of a note.\n',
  'lab.ipynb': JSON.stringify({
    cells: [
      { cell_type: 'markdown', source: ['# The Lab\n', 'We measure.'] },
      { cell_type: 'code', source: 'print(42)\n\nprint(43)', outputs: [{ text: 'never shown' }] },
    ],
  }),
  'src/main.c': 'int main;',
  'logo.png': Buffer.from([137, 80, 78, 71]),
}

test('indexes documents of every format with addresses at the host, and nothing else', async () => {
  await git.commit(formats)
  await open()
  const run = await lab.sync()
  expect(await reasons(run)).toEqual({})
  expect(run.pages).toMatchObject({ discovered: 6, added: 6 })
  expect(await titles()).toEqual({
    '/blob/main/README.md': 'The Guide',
    '/blob/main/docs/book.adoc': 'The Book',
    '/blob/main/docs/old.rst': 'The Old Way',
    '/blob/main/docs/tabs.mdx': 'Tabs',
    '/blob/main/lab.ipynb': 'The Lab',
    '/blob/main/notes.txt': 'notes.txt',
  })
  const readme = await contentOf('README.md')
  expect(readme.sections.map(({ heading, anchor }) => [heading, anchor])).toContainEqual([
    'First steps!',
    'first-steps',
  ])
  const text = async (path: string) => JSON.stringify((await contentOf(path)).sections)
  expect(await text('README.md')).toContain('What it is for.')
  expect(await text('docs/tabs.mdx')).toMatch(/Inside of tabs/)
  expect(await text('docs/tabs.mdx')).not.toContain('theme')
  const old = await contentOf('docs/old.rst')
  expect(old.sections.map(({ heading, anchor }) => [heading, anchor])).toContainEqual([
    'Using it',
    'using-it',
  ])
  expect(old.sections.flatMap(({ blocks }) => blocks)).toEqual(
    expect.arrayContaining([
      { kind: 'paragraph', text: 'See the rest.' },
      { kind: 'code', text: 'make old' },
      { kind: 'paragraph', text: 'It is old.' },
    ]),
  )
  const book = await contentOf('docs/book.adoc')
  expect(book.sections.map(({ heading, anchor }) => [heading, anchor])).toContainEqual([
    'Chapter one',
    '_chapter_one',
  ])
  expect(await text('lab.ipynb')).toContain('print(42)\\n\\nprint(43)')
  expect(await text('lab.ipynb')).not.toContain('never shown')
})

test.each([true, false])(
  'reads only changed files again, with a server that sends parts: %s',
  async (allowFilter) => {
    await git.git('config', 'uploadpack.allowFilter', String(allowFilter))
    await git.commit({ 'a.md': '# A\n\nOne.', 'b.md': '# B\n\nTwo.', 'c.md': '# C\n\nThree.' })
    await open()
    expect((await lab.sync()).pages).toMatchObject({ added: 3 })
    git.asked.splice(0)
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 3, added: 0, updated: 0 })
    // The server's capabilities, the branch, and the list of its files.
    expect(git.asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
    await git.commit({ 'a.md': '# A\n\nOther words.', 'b.md': null, 'd.md': '# D\n\nFour.' })
    expect((await lab.sync()).pages).toMatchObject({ unchanged: 1, updated: 1, added: 1, removed: 1 })
    expect(Object.keys(await titles())).toEqual(['/blob/main/a.md', '/blob/main/c.md', '/blob/main/d.md'])
  },
)

test('reads a branch with globs, and links to the site built from it', async () => {
  await git.commit({ 'docs/index.md': '# Start\n\nHere.', 'docs/guide/install.md': '# Install\n\nSo.' })
  await git.git('checkout', '-q', '-b', 'v2/next')
  await git.commit({
    'docs/guide/new.md': '# New\n\nOnly here.',
    'docs/old/x.md': '# X\n\nLeft out.',
    'README.md': '# No\n\nNo.',
  })
  await git.git('checkout', '-q', 'main')
  await open({
    ...{ include: ['docs/**'], exclude: ['**/old/**'] },
    options: { branch: 'v2/next', baseUrl: 'https://guide.example/manual/' },
  })
  await lab.sync()
  expect((await pages()).map(({ url }) => url).sort()).toEqual([
    'https://guide.example/manual/',
    'https://guide.example/manual/guide/install',
    'https://guide.example/manual/guide/new',
  ])
})

test('takes titles from navigation files, and reads a page again if only its title changed', async () => {
  const navigation = (title: string) =>
    JSON.stringify({ navigation: [{ group: 'Start', pages: [{ title, path: '/guide' }] }] })
  await git.commit({
    'docs.json': navigation('The whole guide'),
    'guide.md': '# Guide\n\nWords.',
    'docs/deep/water.md': '# Water\n\nIt is deep.',
  })
  await open()
  await lab.sync()
  expect(Object.values(await titles())).toEqual(['Water', 'The whole guide'])
  await git.commit({ 'docs.json': navigation('Another name') })
  expect((await lab.sync()).pages).toMatchObject({ updated: 1, unchanged: 1 })
  expect(Object.values(await titles())).toEqual(['Water', 'Another name'])
})

test('skips what is not a document of the repository, with a reason', async () => {
  await git.commit({
    'good.md': '# Good\n\nWords.',
    'empty.md': '',
    'large.md': 'a'.repeat(10 * 1024 * 1024 + 1),
    'lfs.md': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n',
    'binary.md': Buffer.from(Array.from({ length: 400 }, (_, at) => at % 9)),
  })
  await git.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
  const { stdout } = { stdout: await git.git('hash-object', '-w', 'good.md') }
  await git.git('update-index', '--add', '--cacheinfo', `120000,${stdout.trim()},link.md`)
  await git.git('commit', '-q', '-m', 'More')
  await open()
  const run = await lab.sync()
  expect(await reasons(run)).toEqual({
    '/blob/main/empty.md': 'no_content',
    '/blob/main/large.md': 'too_large',
    '/blob/main/lfs.md': 'no_content',
    '/blob/main/binary.md': 'no_content',
    '/blob/main/sub': 'no_content',
    '/blob/main/link.md': 'no_content',
  })
  expect(Object.keys(await titles())).toEqual(['/blob/main/good.md'])
})

test('the token is sent only as a header and appears nowhere else', async () => {
  git.token = 'hunter2'
  await git.commit({ 'a.md': '# A\n\nOne.' })
  const source = await open()
  const refused = await lab.sync()
  expect(await lastError()).toMatch(
    /The server answered 401\. Is its address right, and does it want a token\?/,
  )
  expect(await pages()).toEqual([])
  await lab.store.sources.update({
    ...source,
    credentials: credentials.seal(uuid, { token: 'hunter2' }),
    revision: 2,
  })
  const run = await lab.sync()
  expect(await lastError()).toBeNull()
  expect(await titles()).toEqual({ '/blob/main/a.md': 'A' })
  for (const { path } of git.asked) expect(path).not.toContain('hunter')
  const said = JSON.stringify([await lab.eventsOf(refused), await lab.eventsOf(run), await pages()])
  expect(said).not.toContain('hunter')
  expect(said).not.toContain(Buffer.from('x-access-token:hunter2').toString('base64'))
})

test('a repository that cannot be read fails alone, with a sentence, and its pages remain', async () => {
  await git.commit({ 'a.md': '# A\n\nOne.' })
  const source = await open()
  lab.writePages(['page'])
  await lab.addSource({ createdAt: '2026-01-01T00:00:00.000Z' })
  await lab.sync()
  await lab.store.sources.update({ ...source, options: { branch: 'gone' }, revision: 2 })
  const run = await lab.sync()
  expect(run.status).toBe('completed')
  expect(await lastError()).toBe('The repository has no branch gone.')
  expect((await pages()).length).toBe(3)
})

test.each([
  ['no Git server', () => 'hello'],
  ['an older protocol', () => '001e# service=git-upload-pack\n0000'],
  ['a length that lies', () => 'ffff'],
])('rejects %s with a sentence', async (_, text) => {
  await open()
  git.answer = (__, response) => {
    response.writeHead(200).end(text())
    return true
  }
  expect((await lab.sync()).status).toBe('failed')
  expect(await lastError()).toMatch(/^The (?:server|repository) /)
})
