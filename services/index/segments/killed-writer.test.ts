// kill -9 at seeded random moments while segments are written and merged: what was acknowledged is there, and nothing is
// there in part.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { project, toQuery } from '../../../test/contract/search-index.suite.ts'
import { pageOf, pagesKept, unitsOfPage } from '../../../test/fixtures/index-writer.ts'
import { createRandom } from '../../../test/fixtures/seeded-random.ts'
import { createFolder } from '../../../test/folder.ts'
import { openSegmentIndex } from './segment-index.ts'

const kills = 15
const maxWait = 250

/** Lets a writer go on from page `from` for `pages` and then for so long, kills it, and answers what it had said. */
async function writeAndKill(
  folder: string,
  from: number,
  pages: number,
  milliseconds: number,
): Promise<string[]> {
  const entry = new URL('../../../test/fixtures/index-writer.ts', import.meta.url).pathname
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', entry, folder, String(from)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  while (said === '' || said.split('added').length <= pages) await once(child.stdout, 'data')
  await delay(milliseconds)
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
  return said.split('\n')
}

test(`${kills} kills of a writer leave the index whole`, async () => {
  const folder = createFolder()
  const random = createRandom(20_261_122)
  const present = new Set<number>()
  let next = 0
  for (let kill = 1; kill <= kills; kill++) {
    const said = await writeAndKill(folder, next, kill % 2 ? 2 : 0, random() * maxWait)
    for (const line of said) {
      const [done, n] = line.split(' ')
      if (done === 'added') next = present.add(Number(n)) && Number(n) + 1
      if (done === 'removed') present.delete(Number(n))
    }

    const index = await openSegmentIndex(folder)
    const found = new Map<string, number>()
    for await (const { page, units } of index.versions(project)) found.set(page, units)
    // What was under way is done or not: the page after the last is there as a whole, the one that goes may be gone.
    const last = said.at(-2) ?? ''
    const going = last.startsWith('added') ? Number(last.split(' ')[1]) - pagesKept : null
    if (going !== null && !found.has(pageOf(going))) present.delete(going)
    if (found.has(pageOf(next))) present.add(next++)
    for (const n of present) expect(found.get(pageOf(n)), `page ${n} after kill ${kill}`).toBe(unitsOfPage)
    expect(found.size, `pages after kill ${kill}`).toBe(present.size)
    for (const n of present) {
      const hits = await index.findByTerms(project, toQuery([`w${n}`]))
      expect(hits.length, `units of page ${n}`).toBe(unitsOfPage)
    }
    await index.close()
  }
  expect(next).toBeGreaterThan(kills)
})
