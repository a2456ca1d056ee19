// The widget in Chromium, on pages of another origin, with one browser and one server for all suites.
import { afterAll, beforeAll, describe } from 'vitest'
import { lacksBrowser } from '../../../test/e2e/browser.ts'
import { lacksGenerators } from '../../../test/generators/generators.ts'
import { describeAccessible } from './accessible.suite.ts'
import { describeConversation } from './conversation.suite.ts'
import { describeGuides } from './guides.suite.ts'
import { describeHostile } from './hostile.suite.ts'
import { describeKeys } from './keys.suite.ts'
import { lab, openLab } from './lab.ts'
import { describeLanguages } from './languages.suite.ts'
import { describeOldPages } from './old-pages.suite.ts'
import { describeOutcomes } from './outcomes.suite.ts'
import { describeReading } from './reading.suite.ts'
import { describeScripts } from './scripts.suite.ts'
import { describeSettings } from './settings.suite.ts'

describe.skipIf(lacksBrowser)('the widget', { timeout: 300_000 }, () => {
  beforeAll(openLab, 600_000)
  afterAll(() => lab?.close())

  describe('for a reader', () => describeReading())
  describe('with the keyboard', () => describeKeys())
  describe('with scripts of the page', () => describeScripts())
  describe('with its settings', () => describeSettings())
  describe('in a conversation', () => describeConversation())
  describe('after a conversation', () => describeOutcomes())
  describe('in nine languages', () => describeLanguages())
  describe('is accessible', () => describeAccessible())
  describe('on hostile pages', () => describeHostile())
  describe.skipIf(lacksGenerators)('with nothing changed but the script', () => describeOldPages())
  describe.skipIf(lacksGenerators)('with the guide of', () => describeGuides())
})
