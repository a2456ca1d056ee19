// Takes pictures of the console: `node test/pictures/take-console-pictures.ts [name…]`. All screens, light and dark, and the first ones at
// 390 px are written to test/screenshots/; the manual's picture to manual/. They show PostgreSQL's documentation, which Debian's
// package postgresql-doc-15 has, with some faults.
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { adminKey, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { makeZip } from '../make-zip.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = '/usr/share/doc/postgresql-doc-15/html'
const faults: Record<string, number> = { '/sql-notify.html': 500, '/sql-listen.html': 403, '/gist.html': 404 }
const questions = [
  'How do I create an index without locking the table?',
  'What is a replication slot?',
  'How do I install Kubernetes?',
  'Who won the world cup?',
]

/** Names of the views to photograph. All of them if empty. */
const wanted = process.argv.slice(2)

const site = createServer((request, response) => {
  const path = new URL(request.url!, 'http://site').pathname
  const send = (status: number, body: string | Buffer) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  }
  if (faults[path]) return send(faults[path], 'no')
  readFile(`${documents}${path === '/' ? '/index.html' : path}`).then(
    (body) => send(200, body),
    () => send(404, 'not found'),
  )
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`

const [lectern, browser] = await Promise.all([startLectern({ env: { LECTERN_LOG: 'info' } }), openBrowser()])
const projects = '/api/v2/projects/'
const postgres = `${projects}postgresql/`
const handbook = `${projects}handbook/`

async function post(path: string, body: object) {
  const answer = await lectern.call('POST', path, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function sync(slug: string): Promise<string> {
  const { uuid } = await post(`${projects}${slug}/sync/`, {})
  await runEnded(lectern, slug, uuid)
  return uuid
}

async function upload() {
  const page =
    '<!doctype html><title>On call</title><main><h1>On call</h1><p>Who is on call answers the pager.</p></main>'
  const form = new FormData()
  form.set(
    'site_zip',
    new Blob([new Uint8Array(makeZip([{ name: 'index.html', body: page }]))]),
    'handbook.zip',
  )
  form.set('site_name', 'Operations handbook')
  form.set('base_url', 'https://handbook.example.com/')
  const init = { method: 'POST', headers: { authorization: `Api-Key ${adminKey}` }, body: form }
  const { status } = await fetch(`${lectern.baseUrl}/api/v1/projects/handbook/sources/`, init)
  if (status !== 200) throw new Error(`the upload was refused: ${status}`)
}

async function read(): Promise<void> {
  for (const question of questions) {
    const found = await lectern.call('GET', `${postgres}search/?q=${encodeURIComponent(question)}`)
    const [first] = found.body.results
    if (first) await post(`${postgres}search/click/`, { query: question, url: first.url, position: 1 })
    const { ai_message } = await post(`${postgres}chats/`, { message: question, email: 'ada@example.com' })
    await post(`${postgres}messages/${ai_message.messageId}/feedback/`, { reaction: first ? 1 : 0 })
  }
}

const settings = { sync: { schedule: '30 3 * * *' }, mcp: { enabled: true } }
await post(projects, { name: 'PostgreSQL 15', slug: 'postgresql', config: settings })
const { uuid: source } = await post(`${postgres}sources/`, { type: 'site', url, exclude: ['/release-*'] })
await post(projects, { name: 'Operations', slug: 'handbook' })
await post(`${handbook}sources/`, { type: 'site', name: 'Intranet', url: 'http://10.20.0.5/docs/' })
await upload()
const failed = await sync('handbook')
await sync('postgresql')
const run = await sync('postgresql')
await read()
const chats = await lectern.call('GET', `${postgres}chats/`)

const inspect = (page: string) => `projects/postgresql/pages/lookup?url=${encodeURIComponent(url + page)}`
const evaluation = questions.map((question) => JSON.stringify({ question, pages: ['sql-createindex.html'] }))

interface View {
  path: string
  prepare?(page: Page): Promise<void>
}

const views: Record<string, View> = {
  'c01-overview': { path: '' },
  'c02-pages': { path: 'projects/postgresql/pages' },
  'c02-indexed': { path: inspect('sql-createindex.html') },
  'c02-failed': { path: inspect('sql-notify.html') },
  'c02-skipped': { path: inspect('bookindex.html') },
  'c03-runs': { path: 'projects/postgresql/runs' },
  'c03-run': { path: `projects/postgresql/runs/${run}` },
  'c03-run-with-failures': { path: `projects/handbook/runs/${failed}` },
  'c04-sources': { path: 'projects/handbook/sources' },
  'c04-source': { path: `projects/postgresql/sources/${source}` },
  'c04-new-source': { path: 'projects/postgresql/sources/new' },
  'c05-try': {
    path: `projects/postgresql/try?q=${encodeURIComponent(questions[0]!)}`,
    async prepare(page) {
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
      await page.getByText('The trace as it is stored').waitFor()
    },
  },
  'c06-embed': { path: 'projects/postgresql/embed' },
  'c07-settings': { path: 'projects/postgresql/settings' },
  'c07-keys': { path: 'keys' },
  'c07-team': { path: 'team' },
  'c08-readers': { path: 'projects/postgresql/readers' },
  'c08-conversations': { path: 'projects/postgresql/conversations' },
  'c09-conversation': {
    path: `projects/postgresql/conversations/${chats.body.results.at(-1).uuid}`,
    async prepare(page) {
      await page.getByText('How this answer was made').click()
      await page.getByRole('button', { name: 'Ask again now' }).click()
      await page.getByRole('region', { name: 'Difference' }).waitFor()
    },
  },
  'c10-evaluation': {
    path: 'projects/postgresql/evaluation',
    async prepare(page) {
      await page.locator('textarea').fill(evaluation.join('\n'))
      await page.getByRole('button', { name: 'Evaluate' }).click()
      await page.getByRole('heading', { name: 'Questions that failed' }).waitFor()
    },
  },
  'c11-health': { path: 'projects/postgresql/health' },
  'c12-system': { path: 'system' },
}

async function take(name: string, { path, prepare }: View, width: number, colorScheme: 'light' | 'dark') {
  const page = await browser.newPage({ viewport: { width, height: 820 }, colorScheme, locale: 'en-US' })
  await page.addInitScript((key) => sessionStorage.setItem('lectern-console-key', key), adminKey)
  await page.goto(`${lectern.baseUrl}/console/${path}`)
  await page.locator('#screen h1').waitFor()
  await page.waitForLoadState('networkidle')
  await prepare?.(page)
  const narrow = width < 500 ? '-390px' : ''
  await page.screenshot({
    path: `${root}test/screenshots/console-${name}-${colorScheme}${narrow}.png`,
    fullPage: true,
  })
  if (name === 'c02-failed' && colorScheme === 'light' && narrow === '')
    await page.screenshot({ path: `${root}manual/console-page.png` })
  await page.context().close()
}

try {
  await mkdir(`${root}test/screenshots`, { recursive: true })
  for (const [name, view] of Object.entries(views)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await take(name, view, 1280, 'light')
    await take(name, view, 1280, 'dark')
    if (/^c0[123]/.test(name)) await take(name, view, 390, 'light')
  }
} finally {
  await browser.close()
  await lectern.remove()
  site.close()
}
