// A page of another site with the widget, for tests: in Chromium, under the strictest policy that a site may have.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openPage, type WatchedPage } from '../../../test/e2e/browser.ts'
import { openSite } from '../../../test/e2e/strict-site.ts'

export interface WidgetPage extends WatchedPage {
  /** Addresses that were asked of Lectern. */
  requests: string[]
  /** `name detail` of each event of the widget, oldest first. */
  events(): Promise<string[]>
}

export interface WidgetPageOptions {
  /** Address of Lectern. */
  server: string
  markup: string
  html?: string
  /** Of the site's policy, beside the others. */
  directives?: string[]
  context?: BrowserContextOptions
  /** Before the page is loaded. */
  prepare?(page: Page): Promise<unknown>
}

/** Closes with the test. */
export async function openWidgetPage(browser: Browser, options: WidgetPageOptions): Promise<WidgetPage> {
  const { server, markup, html, directives, context, prepare } = options
  const site = await openSite(server, markup, html, directives)
  const watched = await openPage(browser, context)
  const { page } = watched
  onTestFinished(async () => {
    await page.context().close()
    await site.close()
  })
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(server)) requests.push(request.url().slice(server.length))
  })
  await page.addInitScript(() => {
    const heard: string[] = []
    Object.assign(window, { heard })
    for (const name of 'open close search results click ask answer source feedback copy error'.split(' ')) {
      addEventListener(`lectern:${name}`, (event) => {
        heard.push(`${name} ${JSON.stringify((event as CustomEvent).detail)}`)
      })
    }
  })
  await prepare?.(page)
  await page.goto(site.url)
  await page.waitForFunction(() => customElements.get('lectern-search') !== undefined)
  const events = () => page.evaluate(() => (window as unknown as { heard: string[] }).heard)
  return { ...watched, requests, events }
}
