// The widget in Chromium, on a page of another origin under a strict policy, with 50,000 sections: what it transfers,
// and how long a reader waits.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from '../../e2e/browser.ts'
import { openSite as openStrictSite } from '../../e2e/strict-site.ts'
import type { BenchOptions } from '../bench-options.ts'
import { writeCorpus } from '../corpus/written-corpus.ts'
import { addProject, openLectern, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { median, percentile } from '../statistics.ts'

const sections = 50_000
/** Typed letters; each waits for its results. */
const letters = 120
const opens = 10
/** Slowdown of the processor, as on a phone. */
const throttling = 4
/** Visits on a slow processor, alternating with and without the widget. */
const slowVisits = 5
const question = 'How do I open a file?'

/** Bytes of scripts and styles, compressed with gzip -9. */
interface Sizes {
  /** When the page has loaded, with a search open, with an answer. */
  loader: number
  search: number
  everything: number
}

/** The records of watch.js. */
interface Notes {
  focused: number[]
  /** Of letters that were typed, not filled in. */
  painted: number[]
  tokens: number[]
  longTasks: number[]
  shift: number
}

export async function measureWidget({ rounds }: BenchOptions): Promise<Table[]> {
  const corpus = writeCorpus()
  const served = await corpus.open(sections)
  const [lectern, browser] = await Promise.all([openLectern(), openBrowser()])
  const site = await openStrictSite(lectern.baseUrl, '<lectern-search project="corpus"></lectern-search>')
  try {
    await addProject(lectern, 'corpus', { url: `${served.origin}/corpus/index.html` })
    await sync(lectern, 'corpus')
    const typing = corpus.keystrokes.typing.filter((query) => /^[ -~]*$/.test(query))
    const open = (slowdown = 1) => openPage(browser, site.url, slowdown)
    const own = await measureSizes(open, lectern.baseUrl)
    const speed = { cold: [], warm: [], typed: [], tokens: [] } as Record<string, number[]>
    for (let round = 0; round < rounds; round++) {
      const measured = await measureSpeed(open, typing.slice(0, letters))
      for (const [name, times] of Object.entries(measured)) speed[name]!.push(...times)
    }
    const slow: LongestTasks = { widget: [], page: [] }
    for (let visit = 0; visit < slowVisits; visit++) {
      slow.widget.push(await measureSlow(open))
      slow.page.push(await measureSlowPage(await openPage(browser, site.url, throttling, 'without')))
    }
    return toTables(own, speed, slow)
  } finally {
    await browser.close()
    await site.close()
    await lectern.remove()
    await served.close()
    corpus.remove()
  }
}

type Open = (slowdown?: number) => Promise<Page>
/** Of each visit, in ms. */
type LongestTasks = Record<'widget' | 'page', number[]>

async function openPage(
  browser: Browser,
  url: string,
  slowdown: number,
  widget: 'with' | 'without' = 'with',
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 } })
  const page = await context.newPage()
  if (slowdown > 1) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  }
  await page.addInitScript({ path: fileURLToPath(new URL('watch.js', import.meta.url)) })
  if (widget === 'without') await page.route('**/widget.js', (route) => route.abort())
  await page.goto(url)
  if (widget === 'with') await page.evaluate(`customElements.whenDefined('lectern-search').then(() => {})`)
  return page
}

const read = (page: Page) => page.evaluate('notes') as Promise<Notes>
/** Records the scripts and styles that a page requests from this origin. The result adds up what has arrived so far. */
function watchTransfer(page: Page, origin: string): () => Promise<number> {
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    const url = response.url()
    if (!url.startsWith(origin) || !/\.(?:js|css)$/.test(new URL(url).pathname)) return
    sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
  })
  return async () => {
    await page.waitForLoadState('networkidle')
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }
}

async function measureSizes(
  open: Open,
  origin: string,
): Promise<Sizes & { requests: number; shift: number }> {
  const page = await open()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const transferred = watchTransfer(page, origin)
  await page.reload()
  const loader = await transferred()
  const { shift } = await read(page)
  const before = requests.filter((url) => url.startsWith(origin)).length
  await page.keyboard.press('/')
  await page.keyboard.type('open a file')
  await page.locator('[role=option]').first().waitFor()
  const search = await transferred()
  await page.keyboard.press('Shift+Enter')
  await page.locator('.turn-foot').waitFor()
  const everything = await transferred()
  await page.context().close()
  return { loader, search, everything, requests: before, shift }
}

async function measureSpeed(open: Open, queries: string[]) {
  const cold: number[] = []
  for (let times = 0; times < opens; times++) {
    const page = await open()
    await page.keyboard.press('Control+k')
    await page.locator('.search').waitFor()
    cold.push((await read(page)).focused[0]!)
    await page.context().close()
  }
  const page = await open()
  await page.keyboard.press('Control+k')
  await page.locator('.search').waitFor()
  for (let times = 0; times < opens; times++) {
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
  }
  const warm = (await read(page)).focused.slice(1)
  let typed = ''
  for (const query of queries.filter((each) => !each.endsWith(' '))) {
    // A new term, or one continued over a space: the text before the measured letter.
    if (query.slice(0, -1) !== typed) {
      await page.locator('#query').fill(query.slice(0, -1))
      await page.evaluate(`shown(${JSON.stringify(query.slice(0, -1).trim())})`)
    }
    await page.keyboard.press(query.at(-1)!)
    await page.evaluate(`shown(${JSON.stringify(query)})`)
    typed = query
  }
  const { painted } = await read(page)
  await page.evaluate(`document.querySelector('lectern-search').open({ mode: 'ask' })`)
  for (let asked = 0; asked < opens; asked++) {
    await page.locator('#question').fill(question)
    await page.keyboard.press('Enter')
    await page.locator('.turn-foot').nth(asked).waitFor()
  }
  const { tokens } = await read(page)
  await page.context().close()
  return { cold, warm, typed: painted, tokens }
}

/**
 * Loads, opens, types and asks on a processor that is four times slower. A locator would inject its own script into the page,
 * which takes longer than any task of the widget.
 */
async function measureSlow(open: Open): Promise<number> {
  const page = await open(throttling)
  const appears = (selector: string) => page.evaluate(`appears('${selector}')`)
  await page.keyboard.press('Control+k')
  await appears('.search')
  await page.keyboard.type('open a file', { delay: 120 })
  await appears('[role=option]')
  await page.keyboard.press('Shift+Enter')
  await appears('.turn-foot')
  return await readLongestTask(page)
}

/** Loads the page without the widget, and types into its own field. */
async function measureSlowPage(page: Page): Promise<number> {
  await page.keyboard.press('Tab')
  await page.keyboard.type('open a file', { delay: 120 })
  return await readLongestTask(page)
}

/** Tasks of 50 ms and less are not reported: then 0. Closes the page. */
async function readLongestTask(page: Page): Promise<number> {
  const { longTasks } = await read(page)
  await page.context().close()
  return Math.max(0, ...longTasks)
}

const toSpread = (times: number[]) => `${Math.round(median(times))} / ${Math.round(Math.max(...times))}`

function toTables(
  own: Sizes & { requests: number; shift: number },
  speed: Record<string, number[]>,
  slow: LongestTasks,
): Table[] {
  /** Infinite if nothing was measured. */
  const largest = (times: number[]) => (times.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...times))
  return [
    {
      title: `Widget: targets, with ${sections} sections`,
      rows: [
        toTarget('loader, bytes', own.loader, '≤', 6_000),
        toTarget('with search, bytes', own.search, '≤', 20_000),
        toTarget('everything, bytes', own.everything, '≤', 48_000),
        toTarget('requests before the first interaction', own.requests, '≤', 1),
        toTarget('layout shift before the first interaction', own.shift, '≤', 0),
        toTarget('shortcut to focused field, cold, slowest ms', largest(speed.cold!), '≤', 150),
        toTarget('shortcut to focused field, warm, slowest ms', largest(speed.warm!), '≤', 50),
        toTarget('keystroke to painted results, p95 ms', percentile(speed.typed!, 0.95), '≤', 120),
        toTarget('frame of the first token to painted, slowest ms', largest(speed.tokens!), '≤', 50),
        toTarget('longest task at a quarter of the speed, slowest ms', Math.max(...slow.widget), '≤', 50),
      ],
      notes: [
        `Longest task of ${slowVisits} visits at a quarter of the speed, median / slowest ms (0: none above 50): ${toSpread(slow.widget)}; of the page without the widget ${toSpread(slow.page)}.`,
      ],
    },
  ]
}
