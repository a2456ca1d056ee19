// The demo page in a browser before a scripted server, one of each for every test of a file.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { openBrowser, openPage, type WatchedPage } from './browser.ts'
import { openScriptedChat, type ScriptedChat, type ScriptedTurn } from './scripted-chat.ts'

/** The page and what stands round it; each is new for every test. */
export interface ChatPage {
  readonly page: Page
  readonly server: ScriptedChat
  readonly watched: WatchedPage
  /** Opens the page anew, in a context of its own. */
  open(options?: BrowserContextOptions): Promise<void>
  /** Types a question into the panel and sends it; answers the turn that the server is to play. */
  ask(question: string): Promise<ScriptedTurn>
  /** The text of an answer: the last one's if left out. */
  prose(nth?: number): ReturnType<Page['locator']>
  /** Resolves when the last answer shows the text. */
  shows(text: string): Promise<void>
}

/** To be called within `describe`. */
export function useChatPage(chat: object): ChatPage {
  let browser: Browser
  let server: ScriptedChat
  let watched: WatchedPage

  beforeAll(async () => {
    browser = await openBrowser()
  }, 60_000)
  afterAll(() => browser?.close())
  beforeEach(async () => {
    server = await openScriptedChat(chat)
    await open()
  })
  afterEach(async () => {
    await watched.page.context().close()
    await server.close()
  })

  async function open(options: BrowserContextOptions = {}) {
    await watched?.page.context().close()
    watched = await openPage(browser, { viewport: { width: 1280, height: 860 }, ...options })
    await watched.page.goto(server.url)
    await expect.poll(() => watched.page.textContent('h1')).toBe('Garden docs')
  }

  const prose = (nth = -1) => watched.page.locator('.turn .prose').nth(nth)
  return {
    get page() {
      return watched.page
    },
    get server() {
      return server
    },
    get watched() {
      return watched
    },
    open,
    async ask(question) {
      const { page } = watched
      if (await page.isHidden('#chat')) await page.click('#ask')
      await page.fill('#question', question)
      await page.keyboard.press('Enter')
      return server.next()
    },
    prose,
    async shows(text) {
      await expect.poll(() => prose().textContent()).toContain(text)
    },
  }
}
