// The widget in Chromium, on pages of another origin: one browser and one server for all. What readers do is in a suite each.
import { afterAll, beforeAll, describe } from 'vitest'
import { lacksBrowser } from '../../../test/e2e/browser.ts'
import { lacksGenerators } from '../../../test/generators/generators.ts'
import { describeAccessible } from './accessible.suite.ts'
import { describeConversation } from './conversation.suite.ts'
import { describeGuides } from './guides.suite.ts'
import { describeHostile } from './hostile.suite.ts'
import { describeKeys } from './keys.suite.ts'
import { type Lab, openLab } from './lab.ts'
import { describeLanguages } from './languages.suite.ts'
import { describeOldPages } from './old-pages.suite.ts'
import { describeOutcomes } from './outcomes.suite.ts'
import { describeReading } from './reading.suite.ts'
import { describeScripts } from './scripts.suite.ts'
import { describeSettings } from './settings.suite.ts'

let lab: Lab
const readLab = () => lab

describe.skipIf(lacksBrowser)('the widget', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    lab = await openLab()
  }, 120_000)
  afterAll(() => lab?.close())

  describe('for a reader', () => describeReading(readLab))
  describe('by its keys', () => describeKeys(readLab))
  describe('by scripts of the page', () => describeScripts(readLab))
  describe('by its settings', () => describeSettings(readLab))
  describe('in a conversation', () => describeConversation(readLab))
  describe('after a conversation', () => describeOutcomes(readLab))
  describe('in nine languages', () => describeLanguages(readLab))
  describe('is accessible', () => describeAccessible(readLab))
  describe('on hostile pages', () => describeHostile(readLab))
  describe.skipIf(lacksGenerators)('with nothing changed but the script', () => describeOldPages(readLab))
  describe.skipIf(lacksGenerators)('by the guide of', () => describeGuides(readLab))
})
