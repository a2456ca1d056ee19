// Tests what a crawl would do with one address of a source: sends the same request, applies the same rules, and writes nothing.
import { cutText } from '../crawler/extract/page.ts'
import type { TestAddress } from '../services/source/source-service.ts'
import type { PageContent } from '../services/store/page.ts'
import type { Source } from '../services/store/source.ts'
import { UnreadableSource } from '../sources/source-type.ts'
import { canonicalMessage, copyMessage } from './duplicates.ts'
import type { ReadDeps } from './run-control.ts'
import { createSourceCrawl, openContext, openReader } from './source-crawl.ts'
import { type Visit, visit } from './visit.ts'

/** Milliseconds. Less than the timeout of a call over REST. */
const maxTime = 45_000
const maxText = 10_000
const maxLinks = 1_000

const failed = (reason: string, message: string) => ({ outcome: 'failed', reason, message })
const skipped = (reason: string, message: string) => ({ outcome: 'skipped', reason, message })

export function createTestAddress(deps: ReadDeps): TestAddress {
  return async (source, url, signal) => {
    const timeout = AbortSignal.timeout(maxTime)
    try {
      return await test(deps, source, url, AbortSignal.any([signal, timeout]))
    } catch (error) {
      if (error instanceof UnreadableSource) return failed('parse', error.message)
      if (signal.aborted || !timeout.aborted) throw error
      return failed('timeout', `It took longer than a test may: ${maxTime / 1_000} seconds.`)
    }
  }
}

async function test(deps: ReadDeps, source: Source, url: string, signal: AbortSignal) {
  const opened = openContext(deps, source.project, signal)
  let content = null as PageContent | null
  const parsePool = {
    ...opened.parsePool,
    async parse(...request: Parameters<typeof opened.parsePool.parse>) {
      const parsed = await opened.parsePool.parse(...request)
      content = parsed.content
      return parsed
    },
  }
  const context = { ...opened, parsePool }
  // Ignores the source's delay: a person waits, and this is one request.
  const { delayMs: _, ...options } = source.options
  const crawl = createSourceCrawl(source, await openReader(context, { ...source, options }))
  if (!crawl.scope.covers(url)) {
    const message = 'The address is outside of the source: a crawl would not ask for it.'
    return { outcome: 'outside', message }
  }
  const task = { source: source.uuid, url, depth: 0, state: null, page: null }
  const found = await visit(context, crawl, task)
  return {
    ...(await toOutcome(deps, source.project, found)),
    ...(content !== null && toContent(content)),
    httpStatus: found.httpStatus ?? null,
  }
}

async function toOutcome({ store }: ReadDeps, project: string, found: Visit) {
  if (found.kind === 'failed') return failed(found.reason, found.message)
  if (found.kind === 'skipped') return skipped(found.reason, found.message)
  if (found.kind !== 'page') throw new Error(`unexpected outcome of a test: ${found.kind}`)
  const { task, canonical, parsed } = found
  if (canonical !== null) return skipped('canonical', canonicalMessage(canonical).message)
  // As in a run, the page that is already indexed stays.
  const [known] = await store.pages.byUrls(project, [task.url])
  const [same] = known ? [] : await store.pages.byContentHashes(project, [parsed.contentHash])
  if (same) return skipped('duplicate', copyMessage(same.url))
  const count = parsed.content.sections.length
  const sections = `${count} ${count === 1 ? 'section' : 'sections'}`
  return { outcome: 'indexed', message: `A crawl would index the page with ${sections}.` }
}

/** Result fields of a page that was read. */
function toContent({ title, sections, links }: PageContent) {
  const texts = sections.flatMap(({ heading, blocks }) => [heading, ...blocks.map(({ text }) => text)])
  return {
    title,
    headings: sections.map(({ heading }) => heading).filter((heading) => heading !== ''),
    text: cutText(texts.filter((text) => text !== '').join('\n\n'), maxText),
    links: links.slice(0, maxLinks),
  }
}
