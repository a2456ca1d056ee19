// The console in Chromium: one browser and one server for all screens. The tests of a screen are in its suite.
import { afterAll, beforeAll, describe } from 'vitest'
import { lacksBrowser } from '../e2e/browser.ts'
import { describeAnswers } from './answers.suite.ts'
import { describeEmbed } from './embed.suite.ts'
import { describeFoundation } from './foundation.suite.ts'
import { describeInstallation } from './installation.suite.ts'
import { type Lab, openLab } from './lab.ts'
import { describeLarge } from './large.suite.ts'
import { describeOverview } from './overview.suite.ts'
import { describePages, describeReasons } from './pages.suite.ts'
import { describeReaders } from './readers.suite.ts'
import { describeRuns } from './runs.suite.ts'
import { describeSettings } from './settings.suite.ts'
import { describeSources } from './sources.suite.ts'
import { describeWhole } from './whole.suite.ts'

let lab: Lab
const readLab = () => lab

describe.skipIf(lacksBrowser)('the console', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    lab = await openLab()
  }, 600_000)
  afterAll(() => lab?.close())

  describe('sign-in and layout', () => describeFoundation(readLab))
  describe('C1 overview', () => describeOverview(readLab))
  describe('C2 pages', () => describePages(readLab))
  describe('C3 runs', () => describeRuns(readLab))
  describe('C4 sources', () => describeSources(readLab))
  describe('C5 and C9 answers', () => describeAnswers(readLab))
  describe('C6 embed', () => describeEmbed(readLab))
  describe('C7 settings, keys and team', () => describeSettings(readLab))
  describe('C8 and C10 readers', () => describeReaders(readLab))
  describe('C11 and C12 installation', () => describeInstallation(readLab))
  describe('C2 reasons', () => describeReasons(readLab))
  // Late, because backups must contain everything that was planted.
  describe('long lists', () => describeLarge(readLab))
  // Last, because it checks the requests of all others.
  describe('as a whole', () => describeWhole(readLab))
})
