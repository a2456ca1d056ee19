// What all browser tests of the widget share: one Lectern with a small crawled site, one browser, one chat that a test plays.
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../../test/e2e/browser.ts'
import { type Harbor, openHarbor } from '../../../test/e2e/harbor.ts'
import { runEnded } from '../../../test/e2e/lectern-process.ts'
import { openScriptedChat, type ScriptedChat } from '../../../test/e2e/scripted-chat.ts'

export interface Lab {
  browser: Browser
  /** Has the projects `harbor`, `secret`, which is private, and Lectern's own `manual`. */
  harbor: Harbor
  /** In place of Lectern, with the project `docs`. */
  chat: ScriptedChat
  close(): Promise<void>
}

export async function openLab(): Promise<Lab> {
  const suggested_questions = ['How often do I water?']
  const [browser, harbor, chat] = await Promise.all([
    openBrowser(),
    openHarbor({ LECTERN_EMBEDDINGS: 'off' }),
    openScriptedChat({ suggested_questions }),
  ])
  // What the first start crawls must be there.
  const { body } = await harbor.lectern.call('GET', '/api/v2/projects/manual/sync/')
  await runEnded(harbor.lectern, 'manual', body.uuid)
  return {
    browser,
    harbor,
    chat,
    async close() {
      await browser.close()
      await chat.close()
      await harbor.close()
    },
  }
}
