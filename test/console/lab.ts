// Shared by all console tests: one Lectern, one browser, a real manual, a site with planted faults.
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { openBrowser, openContext, openShared, openTab, type WatchedPage } from '../e2e/browser.ts'
import {
  adminKey,
  type LecternProcess,
  runEnded,
  searchAnswered,
  startLectern,
} from '../e2e/lectern-process.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'
import { plantFaults } from './planted.ts'

type Look = Pick<BrowserContextOptions, 'colorScheme' | 'viewport'>

export interface Lab {
  lectern: LecternProcess
  browser: Browser
  site: Site
  /** REST requests of the console, such as `GET /api/v2/keys/own/`. */
  requests: Set<string>
  /** Opens a view of the console until the test ends, signed in with the key; null: signed out, with a separate storage. */
  open(path: string, look?: Look, key?: string | null): Promise<WatchedPage>
  /** Creates a key with these permissions. */
  createKey(permissions: string[], projects?: string[]): Promise<string>
  /** Token of a sign-in link. */
  createLink(): Promise<string>
  addProject(slug: string, settings?: object): Promise<void>
  addSource(slug: string, source: object): Promise<string>
  /** Runs a sync to its end; returns its UUID. */
  sync(slug: string): Promise<string>
  /** The site's faults, by reason: see plantFaults. Their run starts with the lab. */
  planted: Map<string, string>
  /** Resolves when that run has ended. */
  plantedRead(): Promise<void>
  /** Starts Lectern again at its address, after it was killed. */
  restart(): Promise<void>
  close(): Promise<void>
}

const guide = {
  '/guide/': htmlPage('Guide', 'How to begin with the product.', [
    'install.html',
    'old.html',
    'missing.html',
  ]),
  '/guide/install.html': htmlPage('Install', 'Unpack the archive and start the program.', ['./']),
  '/guide/old.html': htmlPage('Old & <b>bold</b>', 'What older versions did differently.'),
}

/** The console shows the log. */
const env = { LECTERN_LOG: 'info' }

export async function openLab(): Promise<Lab> {
  const [lectern, browser, site] = await Promise.all([
    startLectern({ env, crawlsManual: true }),
    openBrowser(),
    openSite(guide),
  ])
  const { baseUrl } = lectern
  const context = await openShared(browser, [`${baseUrl}/healthz`])

  async function post(path: string, body: object) {
    const answer = await lab.lectern.call('POST', `/api/v2/${path}`, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const requests = new Set<string>()
  const lab: Lab = {
    lectern,
    browser,
    site,
    requests,
    async open(path, { colorScheme = 'light', viewport } = {}, key = adminKey) {
      const own = key === null ? await openContext(browser) : null
      const watched = await openTab(own ?? context)
      const { page } = watched
      // Streams of an open view would continue during later tests.
      onTestFinished(() => (own ?? page).close())
      if (viewport) await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (/^\/(api|ws|mcp|v2)\//.test(pathname)) requests.add(`${request.method()} ${pathname}`)
      })
      await page.addInitScript(recordMessages)
      if (key !== null)
        await page.addInitScript((text) => sessionStorage.setItem('lectern-console-key', text), key)
      await page.goto(`${baseUrl}/console/${path}`)
      return watched
    },
    createKey: async (permissions, projects) =>
      (await post('keys/', { name: 'test', permissions, ...(projects && { projects }) })).key,
    async createLink() {
      const response = await fetch(`http://${lab.lectern.grpc}/lectern.v1.KeyService/CreateSignInLink`, {
        method: 'POST',
        headers: { authorization: `Api-Key ${adminKey}`, 'content-type': 'application/json' },
        body: '{}',
      })
      return ((await response.json()) as { token: string }).token
    },
    async addProject(slug, settings = {}) {
      await post('projects/', { name: slug, slug, ...settings })
    },
    addSource: async (slug, source) => (await post(`projects/${slug}/sources/`, source)).uuid,
    async sync(slug) {
      const { uuid } = await post(`projects/${slug}/sync/`, {})
      await runEnded(lab.lectern, slug, uuid)
      await searchAnswered(lab.lectern, slug)
      return uuid
    },
    planted: new Map(),
    plantedRead: async () => {},
    async restart() {
      const { data, grpc } = lab.lectern
      const addresses = { ...env, LECTERN_HTTP: new URL(baseUrl).host, LECTERN_GRPC: grpc }
      lab.lectern = { ...(await startLectern({ data, env: addresses })), baseUrl, grpc, call: lectern.call }
    },
    async close() {
      await browser.close()
      await lab.lectern.remove()
      await site.close()
    },
  }
  await lab.addProject('guide', { name: 'The guide' })
  await lab.addSource('guide', { type: 'site', url: `${site.url}guide/` })
  await lab.sync('guide')
  lab.planted = await plantFaults(site, lab)
  const { uuid } = await post('projects/planted/sync/', {})
  lab.plantedRead = async () => void (await runEnded(lab.lectern, 'planted', uuid))
  return lab
}

/** In the page: records short messages, which disappear by themselves. */
const recordMessages = `
  const messages = (window.messages = new Set())
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('.toast')) messages.add(textContent)
  }).observe(document, { childList: true, subtree: true })`

/** Waits for a short message with the text, which may have disappeared again. */
export async function messageShown(page: Page, text: string): Promise<void> {
  await page.waitForFunction((expected) => {
    const { messages } = globalThis as unknown as { messages: Set<string> }
    return [...messages].some((each) => each.includes(expected))
  }, text)
}

/** Fails with axe's findings, each violation with the first affected element. */
export async function expectAccessible({ page }: WatchedPage): Promise<void> {
  // The legacy mode skips frames of other origins, of which there are none, and needs no separate tab.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
}

/** Only tables may be wider than the window, within their boxes. */
export async function expectNoSideways(page: Page): Promise<void> {
  const { scrollWidth, innerWidth } = await page.evaluate<{ scrollWidth: number; innerWidth: number }>(
    '({ scrollWidth: document.documentElement.scrollWidth, innerWidth })',
  )
  expect(scrollWidth).toBeLessThanOrEqual(innerWidth)
}
