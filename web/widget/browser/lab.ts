// Shared by all browser tests of the widget: one Lectern with a small crawled site, one browser, one scripted chat.
import type { Browser, BrowserContext } from 'playwright-core'
import { openBrowser, openShared } from '../../../test/e2e/browser.ts'
import { type Harbor, openHarbor } from '../../../test/e2e/harbor.ts'
import { runEnded, searchAnswered } from '../../../test/e2e/lectern-process.ts'
import { openScriptedChat, type ScriptedChat } from '../../../test/e2e/scripted-chat.ts'
import { lacksGenerators } from '../../../test/generators/generators.ts'
import { type BuiltSites, buildSites } from './built-sites.ts'

export interface Lab {
  browser: Browser
  /** Shared by most pages, as tabs. */
  context: BrowserContext
  /** Has the projects `harbor`, `secret`, which is private, and Lectern's own `manual`. */
  harbor: Harbor
  /** Replaces Lectern, with the project `docs`. */
  chat: ScriptedChat
  /** Built while tests run that do not need them, and possibly longer. Null without the generators. */
  sites: BuiltSites | null
  close(): Promise<void>
}

/** Set by `openLab`. */
export let lab: Lab

export async function openLab(): Promise<void> {
  const suggested_questions = ['How often do I water?']
  const [browser, harbor, chat] = await Promise.all([
    openBrowser(),
    openHarbor({ LECTERN_EMBEDDINGS: 'off' }, true),
    openScriptedChat({ suggested_questions }),
  ])
  // Waits for what the first start crawls.
  const { body } = await harbor.lectern.call('GET', '/api/v2/projects/manual/sync/')
  await runEnded(harbor.lectern, 'manual', body.uuid)
  for (const slug of ['manual', 'harbor']) await searchAnswered(harbor.lectern, slug)
  const { baseUrl } = harbor.lectern
  // Origins of the pages with the widget, and of Lectern's own.
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
