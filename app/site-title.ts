// What a documentation site calls itself: the title of the page that its address leads to.
import { readAllowList } from '../crawler/address.ts'
import { decodeHtml } from '../crawler/extract/charset.ts'
import { extract } from '../crawler/extract/extract.ts'
import { createFetcher } from '../crawler/fetch.ts'
import { createRobots } from '../crawler/robots.ts'
import { readRobotsFile } from '../crawler/robots-file.ts'
import type { Config } from '../services/config.ts'
import { toServiceAddresses } from '../services/service-addresses.ts'

const timeoutMs = 10_000
const maxBytes = 2 * 1024 * 1024

/** Null where the page cannot be read, may not be, or has no title. */
export async function readSiteTitle(url: string, config: Config): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs)
  const fetcher = createFetcher({
    allow: readAllowList(config.crawlAllow),
    services: toServiceAddresses(config),
    maxBytes,
  })
  try {
    const robots = createRobots(fetcher, async (body) => readRobotsFile(body))
    if (!(await robots.allows(url, signal))) return null
    const found = await fetcher.fetchPage(url, { signal })
    if (found.kind !== 'page') return null
    const { title } = extract(decodeHtml(found.body, found.headers.contentType), found.url)
    return title.replace(/\p{Cc}/gu, '') || null
  } catch {
    return null
  } finally {
    await fetcher.close()
  }
}
