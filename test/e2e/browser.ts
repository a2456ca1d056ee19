// Chromium for tests. Tests that need it are skipped on a machine without it, with one line that says how to install it.
// If CI is set, Chromium is required.
import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'

const path = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // For openShared.
  '--process-per-site',
]

export const lacksBrowser = path === '' && !process.env.CI
if (lacksBrowser)
  process.stderr.write('Browser tests are skipped: install chromium (apt-get install chromium).\n')

/** Milliseconds until a browser operation counts as hung. A busy machine needs twenty times as long as an idle one. */
const timeout = 60_000

export function openBrowser(): Promise<Browser> {
  if (path === '') throw new Error('chromium is required here: apt-get install chromium')
  return chromium.launch({ executablePath: path, args: flags, timeout: 3 * timeout })
}

export interface WatchedPage {
  page: Page
  /** Errors of the console and of scripts. */
  errors: string[]
  /** All hosts that received a request. */
  hosts: Set<string>
}

/** Opens a page in its own context and records what a reader must never see. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  return openTab(await openContext(browser, options))
}

export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 }, ...options })
  context.setDefaultTimeout(timeout)
  return context
}

/**
 * A context whose pages share one process per site, for the sites of `addresses`, which stay open. A page with its own process
 * takes twice as much processor time.
 */
export async function openShared(browser: Browser, addresses: string[]): Promise<BrowserContext> {
  const context = await openContext(browser)
  for (const address of addresses) await (await context.newPage()).goto(address)
  return context
}

/** Another page of the context, which shares its storage. It opens in half the time of a context. */
export async function openTab(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage()
  const errors: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:') hosts.add(url.host)
  })
  return { page, errors, hosts }
}

/** If LECTERN_SCREENSHOTS is set, writes test/screenshots/{name}.png for people to look at. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.LECTERN_SCREENSHOTS) return
  const folder = fileURLToPath(new URL('../screenshots/', import.meta.url))
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}${name}.png` })
}
