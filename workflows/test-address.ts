// Tests what a crawl would do with one address of a source: sends the same request, applies the same rules, and writes nothing.
import { cutText } from '../crawler/extract/page.ts'
import type { FetchResult } from '../crawler/fetch.ts'
import type { TestAddress, Tested } from '../services/source/test-url.ts'
import type { PageContent } from '../services/store/page.ts'
import type { Source } from '../services/store/source.ts'
import { UnreadableSource } from '../sources/source-type.ts'
import { canonicalMessage, copyMessage } from './duplicates.ts'
import type { ParsedPage } from './parse/parse-page.ts'
import type { CrawlDeps } from './run-control.ts'
import { createSourceCrawl, openContext, openReader } from './source-crawl.ts'
import { type Visit, visit } from './visit.ts'

type TestDeps = Pick<CrawlDeps, 'store' | 'fetcher' | 'parsePool' | 'credentials' | 'base' | 'now' | 'report'>

/** Milliseconds. Less than the timeout of a call over REST. */
const maxTime = 45_000
const maxText = 10_000
const maxLinks = 1_000

type Outcome = Pick<Tested, 'outcome' | 'reason' | 'message'>

const failed = (reason: string, message: string): Outcome => ({ outcome: 'failed', reason, message })
const skipped = (reason: string, message: string): Outcome => ({ outcome: 'skipped', reason, message })

/** Result fields of an address that was not read. */
const nothing = { ...toContent(null), httpStatus: null }

export function createTestAddress(deps: TestDeps): TestAddress {
  return async (source, url, signal) => {
    const timeout = AbortSignal.timeout(maxTime)
    try {
      return await test(deps, source, url, AbortSignal.any([signal, timeout]))
    } catch (error) {
      if (error instanceof UnreadableSource) return { ...failed('parse', error.message), ...nothing }
      if (signal.aborted || !timeout.aborted) throw error
      const message = `It took longer than a test may: ${maxTime / 1_000} seconds.`
      return { ...failed('timeout', message), ...nothing }
    }
  }
}

async function test(deps: TestDeps, source: Source, url: string, signal: AbortSignal): Promise<Tested> {
  const opened = openContext(deps, source.project, signal)
  let answer: FetchResult | null = null
  let parsed: ParsedPage | null = null
  const context = {
    ...opened,
    fetcher: {
      ...opened.fetcher,
      fetchPage: async (...request: Parameters<typeof opened.fetcher.fetchPage>) =>
        (answer = await opened.fetcher.fetchPage(...request)),
    },
    parsePool: {
      ...opened.parsePool,
      parse: async (...request: Parameters<typeof opened.parsePool.parse>) =>
        (parsed = await opened.parsePool.parse(...request)),
    },
  }
  // Ignores the source's delay: a person waits, and this is one request.
  const { delayMs: _, ...options } = source.options
  const crawl = createSourceCrawl(source, await openReader(context, { ...source, options }))
  if (!crawl.scope.covers(url)) {
    const message = 'The address is outside of the source: a crawl would not ask for it.'
    return { outcome: 'outside', reason: null, message, ...nothing }
  }
  const task = { source: source.uuid, url, depth: 0, state: null, page: null }
  const found = await visit(context, crawl, task)
  return {
    ...(await toOutcome(deps, source.project, found)),
    ...toContent((parsed as ParsedPage | null)?.content ?? null),
    httpStatus: readStatus(answer),
  }
}

async function toOutcome({ store }: TestDeps, project: string, found: Visit): Promise<Outcome> {
  if (found.kind === 'failed') return failed(found.reason, found.message)
  if (found.kind === 'skipped') return skipped(found.reason, found.message)
  if (found.kind !== 'page') throw new Error(`a test has come to ${found.kind}`)
  const { task, canonical, parsed } = found
  if (canonical !== null) return skipped('canonical', canonicalMessage(canonical).message)
  // As in a run, the page that is already indexed stays.
  const [known] = await store.pages.byUrls(project, [task.url])
  const [same] = known ? [] : await store.pages.byContentHashes(project, [parsed.contentHash])
  if (same) return skipped('duplicate', copyMessage(same.url))
  const count = parsed.content.sections.length
  const sections = `${count} ${count === 1 ? 'section' : 'sections'}`
  return { outcome: 'indexed', reason: null, message: `A crawl would index the page with ${sections}.` }
}

/** Result fields of a page that was read. */
function toContent(content: PageContent | null): Pick<Tested, 'title' | 'headings' | 'text' | 'links'> {
  const { title = null, sections = [], links = [] } = content ?? {}
  const texts = sections.flatMap(({ heading, blocks }) => [heading, ...blocks.map(({ text }) => text)])
  return {
    title,
    headings: sections.map(({ heading }) => heading).filter((heading) => heading !== ''),
    text: cutText(texts.filter((text) => text !== '').join('\n\n'), maxText),
    links: links.slice(0, maxLinks),
  }
}

function readStatus(answer: FetchResult | null): number | null {
  if (answer === null || answer.kind === 'unchanged' || answer.kind === 'skipped') return null
  if (answer.kind !== 'failed') return answer.status
  const [, status] = /\banswered (\d{3})\b/.exec(answer.message) ?? []
  return status === undefined ? null : Number(status)
}
