// Sites with markup of the hosted service, built by their real generators. Each is opened twice: with the published script, and
// with nothing changed but the script's address. Readers find the same texts, and what they open works.
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, takeScreenshot } from '../../../test/e2e/browser.ts'
import type { Harbor } from '../../../test/e2e/harbor.ts'
import { type FolderServer, serveFolders } from '../../../test/generators/folder-server.ts'
import { buildSite, type GeneratorName, removeSite } from '../../../test/generators/generators.ts'
import { addToSite, sites } from '../../../test/generators/sites.ts'
import type { Lab } from './lab.ts'

/** As the hosted service's own guides have it; the site serves the published package there. */
const published = fileURLToPath(
  new URL('../../../node_modules/biel-search/dist/biel-search/', import.meta.url),
)
const script = '/published/biel-search.esm.js'
const style = '/published/biel-search.css'
const head = `<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>`

const texts = {
  search: 'Search the docs',
  ask: 'Ask AI',
  'header-title': 'Harbor assistant',
  'welcome-message': 'Ahoy! What is it about?',
  'suggested-questions-title': 'Try one of these',
  'suggested-questions': 'How do I install Harbor?',
  'footer-text': 'Answers may be wrong.',
  'send-button-text': 'Off it goes',
}
const { search, ask, ...asked } = texts
const askAttributes = Object.entries(asked)
  .map(([name, value]) => `${name}="${value}"`)
  .join(' ')
const elements = (api: string) => {
  const common = `project="harbor" api-url="${api}"`
  return {
    search: `<biel-search-button ${common} button-style="rounded" search-placeholder="Type a word">${search}</biel-search-button>`,
    ask: `<biel-button ${common} ${askAttributes} button-position="bottom-right" modal-position="sidebar-right" button-style="dark">${ask}</biel-button>`,
  }
}

const isGenerator = (name: string): name is GeneratorName => name in sites

/** Where teams have the markup, by generator. */
const markup: Record<string, (api: string) => Record<string, string>> = {
  docusaurus: (api) => ({
    'docusaurus.config.js': `export default {
  // …
  scripts: [{ src: '${script}', type: 'module' }],
  stylesheets: ['${style}'],
}`,
    'src/theme/SearchBar.js': `export default function SearchBar() { return ${elements(api).search} }`,
    'src/theme/Root.js': `export default function Root({ children }) { return <>{children}${elements(api).ask}</> }`,
  }),
  mkdocs: (api) => ({
    'mkdocs.yml': 'theme:\n  name: material\n  custom_dir: overrides\n',
    'overrides/main.html': `{% extends "base.html" %}
{% block extrahead %}${head}${elements(api).ask}{% endblock %}`,
    'overrides/partials/search.html': elements(api).search,
  }),
  sphinx: (api) => ({
    'conf.py': `templates_path = ['_templates']
html_js_files = [('${script}', {'type': 'module'})]
html_css_files = ['${style}']
`,
    '_templates/sidebar/search.html': `${elements(api).search}${elements(api).ask}`,
  }),
  hugo: (api) => ({
    'layouts/partials/custom/head-end.html': head,
    'layouts/partials/search.html': `${elements(api).search}${elements(api).ask}`,
  }),
  plain: (api) => ({
    'index.html': `<!doctype html><html><head><title>Harbor</title>${head}</head><body><h1>Guide</h1>
    ${elements(api).search}${elements(api).ask}</body></html>`,
  }),
  app: (api) => ({
    'index.html': `<!doctype html><html><head><title>Harbor</title>${head}</head><body><div id="app"></div>
    <script>
      const pages = { '/': 'Guide', '/deploy': 'Deploy' }
      function go(path) {
        history.pushState(null, '', path)
        document.getElementById('app').innerHTML = '<h1>' + pages[path] + '</h1>${elements(api).search}${elements(api).ask}'
      }
      go('/deploy')
      setTimeout(() => go('/'), 0)
    </script></body></html>`,
  }),
}

export function describeOldPages(readLab: () => Lab): void {
  let harbor: Harbor
  let browser: Browser
  const outputs = new Map<string, string>()
  const servers: FolderServer[] = []

  beforeAll(async () => {
    ;({ harbor, browser } = readLab())
    const api = `${harbor.lectern.baseUrl}/api/v1`
    await Promise.all(
      Object.entries(markup).map(async ([name, toFiles]) => {
        const files = toFiles(api)
        const site = isGenerator(name) ? buildSite(name, addToSite(name, files)) : buildSite('none', files)
        outputs.set(name, await site)
      }),
    )
  }, 180_000)
  afterAll(async () => {
    await Promise.all([...servers.map((each) => each.close()), ...[...outputs.values()].map(removeSite)])
  })

  async function open(name: string, change: (html: string) => string) {
    const server = await serveFolders({ '/published/': published, '/': outputs.get(name)! }, change)
    servers.push(server)
    const watched = await openPage(browser)
    // The published script asks another host for a font.
    await watched.page.route(/fonts\./, (route) => route.fulfill({ contentType: 'text/css', body: '' }))
    await watched.page.goto(server.url)
    await watched.page.locator('biel-search-button [part=button]').waitFor()
    return watched
  }

  test.each(Object.keys(markup))('%s', async (name) => {
    const before = await open(name, (html) => html)
    await before.page.locator('biel-button [part=button]').click()
    await before.page.getByText(texts['header-title']).waitFor()
    const inAll = Object.values(texts)
    await expect.poll(() => readAll(before.page)).toEqual(expect.arrayContaining(inAll))
    await before.page.context().close()

    const after = await open(name, (html) => html.replaceAll(script, `${harbor.lectern.baseUrl}/widget.js`))
    const { page, errors, hosts } = after
    const button = page.locator('biel-button [part=button]')
    const color = () => button.evaluate((each) => getComputedStyle(each).backgroundColor)
    await page.evaluate(() => document.documentElement.style.setProperty('--biel-primary-color', '#c00'))
    await expect.poll(color).toBe('rgb(204, 0, 0)')
    await page.evaluate(() => document.documentElement.style.removeProperty('--biel-primary-color'))
    await expect.poll(color).not.toBe('rgb(204, 0, 0)')
    await page.getByRole('button', { name: ask }).click()
    await page.getByRole('heading', { name: texts['header-title'] }).waitFor()
    expect(await readAll(page)).toEqual(expect.arrayContaining(inAll))
    await takeScreenshot(page, `old-${name}`)
    await page.getByRole('button', { name: texts['suggested-questions'] }).click()
    await page.locator('biel-button .turn .sources').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: search }).click()
    expect(await page.locator('biel-search-button input').getAttribute('placeholder')).toBe('Type a word')
    await page.keyboard.type('proxy')
    await page.locator('biel-search-button [role=option]').first().waitFor()
    expect(errors).toEqual([])
    expect([...hosts].sort()).toEqual([new URL(harbor.lectern.baseUrl).host, new URL(page.url()).host].sort())
  })

  test('both scripts on one page do not collide, whichever comes first', async () => {
    const other = `<script src="${harbor.lectern.baseUrl}/widget.js"></script>`
    for (const change of [
      (html: string) => html.replace('<link', `${other}<link`),
      (html: string) =>
        html.replace('</body>', `${other.replace('<script', '<script type="module"')}</body>`),
    ]) {
      const { page, errors } = await open('plain', change)
      await page.locator('biel-button [part=button]').click()
      await expect.poll(() => readAll(page)).toContain(texts['header-title'])
      expect(errors).toEqual([])
    }
  })
}

/** The texts of the page, with those in shadow roots. */
function readAll(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const read = (node: Node) => {
      if (node instanceof Text) found.push(node.data.trim())
      if (node instanceof Element && node.ariaLabel) found.push(node.ariaLabel)
      if (node instanceof Element && node.shadowRoot) read(node.shadowRoot)
      node.childNodes.forEach(read)
    }
    read(document.body)
    return found
  })
}
