// A page of another site with the widget, for tests: in Chromium, with the strictest policy that a site may have.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openPage, openTab, type WatchedPage } from '../../../test/e2e/browser.ts'
import { openSite } from '../../../test/e2e/strict-site.ts'
import { lab } from './lab.ts'

export interface WidgetPage extends WatchedPage {
  /** Paths requested from Lectern. */
  requests: string[]
  /** `name detail` of each event of the widget, oldest first. */
  events(): Promise<string[]>
}

export interface WidgetPageOptions {
  /** Address of Lectern. Defaults to the scripted chat. */
  server?: string
  markup: string
  html?: string
  /** Added to the site's policy. */
  directives?: string[]
  /** Opens its own context. Without it the page is a tab, which opens in half the time. */
  context?: BrowserContextOptions | undefined
  /** Runs before the page loads. */
  prepare?(page: Page): Promise<unknown>
}

/** What was opened last: tests run one after the other. */
export let opened: WidgetPage
export let page: Page

/** Closes with the test. */
export async function openWidgetPage(options: WidgetPageOptions): Promise<WidgetPage> {
  const { server = lab.chat.origin, markup, html, directives, context, prepare } = options
  // Each site has its own port, so that no test finds what another one has stored.
  const site = await openSite(server, markup, html, directives)
  const watched = context ? await openPage(lab.browser, context) : await openTab(lab.context)
  page = watched.page
  onTestFinished(async () => {
    await (context ? watched.page.context().close() : watched.page.close())
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
  opened = { ...watched, requests, events }
  return opened
}

/** Opens the search, and searches as if the query was pasted: nothing replaces its list of results. */
export async function search(query: string, element?: string): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.insertText(query)
  await resultsOf(query, element)
}

/** Waits until the element shows all results of the query. The list is rendered in several tasks. */
export async function resultsOf(query: string, element = 'lectern-search'): Promise<void> {
  await page.waitForFunction(
    ([asked, name]) => {
      const { heard } = window as unknown as { heard: string[] }
      const last = heard.findLast((event) => event.startsWith('results '))
      const answered = last && JSON.parse(last.slice('results '.length))
      const titles = document.querySelector(name!)?.shadowRoot?.querySelectorAll('[role=option] .title')
      return answered?.query === asked && titles!.length >= answered.count
    },
    [query, element],
  )
}
