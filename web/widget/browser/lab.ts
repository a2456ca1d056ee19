// What all browser tests of the widget share: one Lectern with a small crawled site, one browser, one chat that a test plays.
import type { Browser, BrowserContext } from 'playwright-core'
import { openBrowser, openShared } from '../../../test/e2e/browser.ts'
import { type Harbor, openHarbor } from '../../../test/e2e/harbor.ts'
import { runEnded, searchAnswered } from '../../../test/e2e/lectern-process.ts'
import { openScriptedChat, type ScriptedChat } from '../../../test/e2e/scripted-chat.ts'
import { lacksGenerators } from '../../../test/generators/generators.ts'
import { type BuiltSites, buildSites } from './built-sites.ts'

export interface Lab {
  browser: Browser
  /** Of most pages, which are tabs of it. */
  context: BrowserContext
  /** Has the projects `harbor`, `secret`, which is private, and Lectern's own `manual`. */
  harbor: Harbor
  /** In place of Lectern, with the project `docs`. */
  chat: ScriptedChat
  /** Being built while the tests run that do not need them, which may take longer than these; null without the generators. */
  sites: BuiltSites | null
  close(): Promise<void>
}

/** What `openLab` has opened. */
export let lab: Lab

export async function openLab(): Promise<void> {
  const suggested_questions = ['How often do I water?']
  const [browser, harbor, chat] = await Promise.all([
    openBrowser(),
    openHarbor({ LECTERN_EMBEDDINGS: 'off' }, true),
    openScriptedChat({ suggested_questions }),
  ])
  // What the first start crawls must be there.
  const { body } = await harbor.lectern.call('GET', '/api/v2/projects/manual/sync/')
  await runEnded(harbor.lectern, 'manual', body.uuid)
  for (const slug of ['manual', 'harbor']) await searchAnswered(harbor.lectern, slug)
  const { baseUrl } = harbor.lectern
  // Of the pages that hold the widget, and of Lectern's own.
  const kept = [`${baseUrl.replace('127.0.0.1', 'localhost')}/healthz`, `${baseUrl}/healthz`]
  const sites = lacksGenerators ? null : buildSites(baseUrl)
  lab = {
    ...{ browser, context: await openShared(browser, kept), harbor, chat, sites },
    async close() {
      await browser.close()
      await sites?.remove()
      await chat.close()
      await harbor.close()
    },
  }
}
