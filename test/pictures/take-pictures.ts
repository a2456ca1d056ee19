// Takes the pictures of the manual and of README.md: `node test/pictures/take-pictures.ts`. They show part of Python's
// documentation, which Debian's package python3.11-doc has.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { type LecternProcess, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { openSite, type Site } from '../e2e/site.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const documents = '/usr/share/doc/python3.11/html/library'
const names = 'asyncio-task asyncio-subprocess subprocess json pathlib logging argparse datetime'.split(' ')

async function openPython(): Promise<Site> {
  const links = names.map((name) => `<li><a href="/library/${name}.html">${name}</a></li>`).join('')
  const site = await openSite({
    '/': `<!doctype html><html lang="en"><title>Python</title><ul>${links}</ul></html>`,
  })
  for (const name of names)
    site.pages.set(`/library/${name}.html`, await readFile(`${documents}/${name}.html`, 'utf8'))
  return site
}

async function addProject({ call }: LecternProcess, url: string) {
  const project = '/api/v2/projects/python/'
  const chat = { suggested_questions: ['How do I run a subprocess with a timeout?', 'How do I parse JSON?'] }
  await call('POST', '/api/v2/projects/', { name: 'Python', slug: 'python', config: { chat } })
  await call('POST', `${project}sources/`, { type: 'site', url })
  const { body } = await call('POST', `${project}sync/`)
  return body.uuid as string
}

async function openPage(browser: Browser, width: number, height: number, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-US' })
  return context.newPage()
}

/** A page of a site with the widget in its header. */
const toGuide = (
  lectern: string,
  style: string,
) => `<!doctype html><html lang="en"><head><title>Guide</title><style>
  :root { color-scheme: light dark }
  body { margin: 0; font: 16px/1.6 system-ui, sans-serif }
  header { display: flex; align-items: center; gap: 2rem; padding: .7rem 1.5rem; border-bottom: 1px solid #8884 }
  header b { flex: 1; font-size: 1.15rem }
  main { max-width: 46rem; padding: 1rem 1.5rem; margin-inline: auto }
  code { padding: .1em .3em; background: #8882 }
  ${style}
</style></head><body><header><b>Python guide</b><lectern-search project="python"></lectern-search></header>
<main><h1>Running other programs</h1><p>The module <code>subprocess</code> starts new processes, connects to their
input, output and error pipes, and obtains their return codes. Start with <code>subprocess.run()</code>.</p>
<h2>A first example</h2><p>Lists the files of the current folder and waits until it is done.</p></main>
<lectern-ask project="python">Ask</lectern-ask><script async src="${lectern}/widget.js"></script></body></html>`

const brand = `lectern-search, lectern-ask {
  --lectern-accent: light-dark(#0b5fd6, #7db5ff); --lectern-on-accent: light-dark(#fff, #06182f);
  --lectern-surface: light-dark(#fff, #101a2b); --lectern-background: light-dark(#f3f7fd, #0b1322);
  --lectern-border: light-dark(#d5e1f2, #263a58); --lectern-selected: light-dark(#e8f1fe, #17304f);
  --lectern-radius-l: 4px; --lectern-radius-m: 3px; --lectern-font: Georgia, "DejaVu Serif", serif;
}`

async function search(page: Page, query: string) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(query)
  await page.locator('[role=option]').nth(2).waitFor()
  await page.keyboard.press('ArrowDown')
}

const [site, browser] = await Promise.all([openPython(), openBrowser()])
const lectern = await startLectern({ env: { LECTERN_EMBEDDINGS: 'off' } })
try {
  await runEnded(lectern, 'python', await addProject(lectern, site.url), 60_000)
  const show = async (page: Page, style: string) => {
    site.pages.set('/guide/', toGuide(lectern.baseUrl, style))
    await page.goto(`${site.url}guide/`)
    await page.locator('lectern-search').getByRole('button').waitFor()
  }

  const light = await openPage(browser, 900, 600, 'light')
  await show(light, '')
  await search(light, 'timeout')
  await light.screenshot({ path: `${root}manual/widget-search.png` })

  const dark = await openPage(browser, 900, 600, 'dark')
  await show(dark, '')
  await dark.locator('lectern-ask').getByRole('button').click()
  await dark.locator('textarea').fill('How do I run a subprocess with a timeout?')
  await dark.keyboard.press('Enter')
  await dark.locator('.turn-foot').waitFor()
  await dark.screenshot({ path: `${root}manual/widget-ask.png` })

  const branded = await openPage(browser, 900, 600, 'light')
  await show(branded, brand)
  await search(branded, 'create_task')
  await branded.screenshot({ path: `${root}manual/widget-theme.png` })

  const demo = await openPage(browser, 1280, 800, 'light')
  await demo.goto(`${lectern.baseUrl}/demo/python/`)
  await demo.fill('#query', 'How do I run a subprocess with a timeout?')
  await demo.locator('[role=option]').nth(2).waitFor()
  await demo.keyboard.press('Shift+Enter')
  await demo.locator('.turn-foot').waitFor()
  await demo.screenshot({ path: `${root}docs/demo.png` })
} finally {
  await browser.close()
  await lectern.remove()
  await site.close()
}
