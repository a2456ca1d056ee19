// Takes the picture of Temporal's UI in manual/production.md, during a sync in containers: `node test/pictures/take-temporal-picture.ts`.
// Needs what `npm run containers` needs, and Chromium. `pngquant --ext .png --force 64` then makes the file small.
import { fileURLToPath } from 'node:url'
import { adminKey, openEngine } from '../containers/engine.ts'
import { openBrowser } from '../e2e/browser.ts'
import { openSite } from '../e2e/site.ts'
import { holdPage, writePages } from '../servers/held-page.ts'

const pages = Array.from({ length: 40 }, (_, at) => `chapter-${at + 1}.html`)
const picture = fileURLToPath(new URL('../../manual/temporal-sync.png', import.meta.url))

async function post(path: string, body: object) {
  const answer = await fetch(`http://127.0.0.1:18080/api/v2/projects/${path}`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

const engine = await openEngine()
if (typeof engine === 'string') throw new Error(`No container runs here: ${engine}`)
const browser = await openBrowser()
try {
  await engine.compose('build')
  await engine.compose('up', '--detach', '--wait')
  // An address of the containers' network.
  const site = await openSite({}, '10.77.0.1')
  writePages(site, pages)
  const held = holdPage(site, `/${pages.at(-1)}`)
  await post('', { name: 'Guide', slug: 'guide' })
  await post('guide/sources/', { type: 'site', url: site.url })
  await post('guide/sync/', {})
  await held.asked

  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, locale: 'en-US' })
  await page.goto('http://127.0.0.1:8233/namespaces/default/workflows')
  await page.getByRole('link', { name: 'sync/guide' }).first().click()
  await page.getByText('readSources').first().waitFor()
  await page.screenshot({ path: picture })
  held.release()
  await site.close()
} finally {
  await browser.close()
  await engine.close()
}
