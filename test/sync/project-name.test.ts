// A project created from an address takes the title of its site.
import { beforeEach, expect, test } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
})

const project = async () => (await lab.store.projects.byUuid(lab.project))!

async function rename(name: string) {
  const row = await project()
  expect(await lab.store.projects.update({ ...row, name, revision: row.revision + 1 })).toBe(true)
}

test('a project with the name of its host takes the title in the first run that reads the site', async () => {
  await rename(new URL(lab.site.url).host)
  expect((await lab.sync()).status).toBe('failed')
  expect((await project()).name).toBe(new URL(lab.site.url).host)
  lab.site.pages.set('/', (_, response) => void response.writeHead(302, { location: '/en/' }).end())
  lab.site.pages.set('/en/', htmlPage('Tide Tables', 'When to sail.', ['/en/other.html']))
  lab.site.pages.set('/en/other.html', htmlPage('Other', 'Other words.'))
  await lab.sync()
  expect((await project()).name).toBe('Tide Tables')
  lab.site.pages.set('/en/', htmlPage('Tide Tables, second edition', 'When to sail.'))
  await lab.sync()
  expect((await project()).name).toBe('Tide Tables')
})

const body =
  '<div class="documentwrapper"><div class="body"><h1>Contents</h1><p>When to sail.</p></div></div>'
test.each([
  ['<meta property="og:site_name" content=" Tide Docs "><title>Contents</title>', 'Tide Docs'],
  ['<title>Contents &#8212; Tides 2.1 documentation</title>', 'Tides 2.1 documentation'],
  ['<title>Contents &#8212; The contents</title>', 'Contents'],
  ['<meta property="og:site_name" content="Tide&#x202e;&#x200b; Docs"><title>Contents</title>', 'Tide Docs'],
  ['<meta property="og:site_name" content="&#x200b;"><title>Contents</title>', 'Contents'],
  ['<title>Contents</title>', 'Contents'],
])('a start page with %s names the project %s', async (head, name) => {
  await rename(new URL(lab.site.url).host)
  lab.site.pages.set('/', `<!doctype html><html><head>${head}</head><body>${body}</body></html>`)
  await lab.sync()
  expect((await project()).name).toBe(name)
})

test('a project with another name keeps it', async () => {
  lab.site.pages.set('/', htmlPage('Tide Tables', 'When to sail.'))
  await lab.sync()
  expect((await project()).name).toBe('Docs')
})

test('a long title is truncated to the maximum length of a name', async () => {
  await rename(new URL(lab.site.url).host)
  lab.site.pages.set('/', htmlPage('T'.repeat(250), '.'))
  await lab.sync()
  expect((await project()).name).toBe('T'.repeat(200))
})
