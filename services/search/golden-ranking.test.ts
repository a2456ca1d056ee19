// In real manuals, users' questions must find the section that answers them among the first three results, and names the
// section with that name. A lost weight fails here.
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extract } from '../../crawler/extract/extract.ts'
import { openSearch, type Search } from '../../test/bench/agreement/compare.ts'
import { readManualUnits, toUrl } from '../../test/bench/agreement/manual-units.ts'
import { openAskedManual, project } from '../../test/bench/questions/asked-manual.ts'
import { largeManuals, type Manual } from '../../test/bench/site/manuals.ts'
import { createFolder } from '../../test/folder.ts'
import { openSegmentIndex } from '../index/segments/segment-index.ts'
import { toUnits } from '../index/units.ts'

const [python, postgresql] = largeManuals
/** The pages to search: enough of each manual for others to compete. */
const searched: [Manual, within: string][] = [
  [python, '{faq/*,library/[d-s]*}.html'],
  [postgresql, '{[a-f]*,r*,sql-*,upgrading}.html'],
]
const golden: Record<string, [query: string, section: string][]> = {
  python: [
    ['how do I run a shell command and read its output', 'library/subprocess.html#subprocess.check_output'],
    ['how do I convert a string to a date', 'library/datetime.html#datetime.datetime.strptime'],
    ['remove duplicates from a list', 'faq/programming.html#how-do-you-remove-duplicates-from-a-list'],
    ['set a timeout for a socket', 'library/socket.html#notes-on-socket-timeouts'],
    ['"line buffering" text file', 'library/io.html#io.TextIOWrapper.reconfigure'],
    ['how do I parse command line arguments', 'library/optparse.html#parsing-arguments'],
    ['"at most" once', 'library/multiprocessing.html#multiprocessing.set_start_method'],
    ['value error', 'library/exceptions.html#ValueError'],
    ['generator', 'library/email.generator.html#email.generator.Generator'],
  ],
  postgresql: [
    ['restore a dump made in the custom format', 'backup-dump.html#BACKUP-DUMP-LARGE'],
    ['how do I rename a table', 'sql-altertable.html#id-1.9.3.35.8'],
    ['find the size of a table on disk', 'disk-usage.html#DISK-USAGE'],
    ['how do I upgrade to a new major version', 'upgrading.html#UPGRADING'],
    ['"point in time" recovery target', 'continuous-archiving.html#BACKUP-PITR-RECOVERY'],
    ['lock a row so that others wait', 'explicit-locking.html#LOCKING-ROWS'],
    ['how do I bring a failed primary back as a standby', 'app-pgrewind.html#id-1.9.5.9.5'],
    ['cannot drop role because some objects depend on it', 'role-removal.html#ROLE-REMOVAL'],
    [
      'how do I use "read only" transactions for reports',
      'runtime-config-client.html#GUC-TRANSACTION-READ-ONLY',
    ],
    ['vacuum', 'routine-vacuuming.html#ROUTINE-VACUUMING'],
    ['window functions', 'sql-expressions.html#SYNTAX-WINDOW-FUNCTIONS'],
  ],
}

describe.each(searched)('in the manual of $name', (manual, within) => {
  const isInstalled = existsSync(manual.root)
  if (!isInstalled && !process.env.CI) {
    console.warn(`golden-ranking.test.ts is skipped; it needs a manual: apt-get install ${manual.package}`)
  }

  describe.skipIf(!isInstalled && !process.env.CI)('by words only', () => {
    let find: Search
    let close: () => Promise<void>
    beforeAll(async () => {
      const asked = await openAskedManual(manual, null, readManualUnits(manual, within))
      close = asked.close
      find = await openSearch(asked.index, project)
    })
    afterAll(() => close())

    test.each(golden[manual.name]!)('%s', async (question, section) => {
      expect(await find(question, 3)).toContain(toUrl(manual, section))
    })
  })
})

test.each(['a', 'b'])(
  'ranks the more similar of two sections with the same words first: %s',
  async (nearer) => {
    const folder = createFolder()
    const index = await openSegmentIndex(folder)
    try {
      const section = (id: string) =>
        `<h2 id="${id}">Limits of a request</h2><p>The limit of a request is set there.</p>`
      const html = `<html lang="en"><title>Requests</title><main><h1>Requests</h1>${section('a')}${section('b')}</main></html>`
      const page = extract(html, 'https://docs.test/requests')
      const row = {
        uuid: project,
        version: 1,
        url: 'https://docs.test/requests',
        sourceType: 'site' as const,
      }
      const units = toUnits(row, { ...page, language: null, docVersion: null })
      await index.add(project, units)
      const vectorOf = (anchor: string | null) => Float32Array.from(anchor === nearer ? [1, 0] : [0.6, 0.8])
      const vectors = units.map(({ id, anchor }) => ({ unit: id, vector: vectorOf(anchor) }))
      await index.setVectors(project, 'model', vectors)
      const vector = { model: 'model', vector: Float32Array.from([1, 0]) }
      const find = await openSearch(index, project, { of: async () => ({ meaning: 'used', vector }) })
      const [first] = await find('What is the limit of a request?')
      expect(first).toBe(`https://docs.test/requests#${nearer}`)
    } finally {
      await index.close()
    }
  },
)
