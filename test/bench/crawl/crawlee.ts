// Crawlee's CheerioCrawler, which fetches and reads title and links. Arguments: its folder, start address, prefix.
// Its best settings: eight at a time from the start and never fewer for a busy machine, polling for work every 5 ms,
// nothing stored on disk, no sessions, no generated browser headers, no retries, no log.
import { createRequire } from 'node:module'

const [folder, start, prefix] = process.argv.slice(2) as [string, string, string]
const { CheerioCrawler, Configuration, log } = createRequire(`${folder}/`)('@crawlee/cheerio')
log.setLevel(log.LEVELS.OFF)

const seen = new Set<string>()
let titles = 0
const crawler = new CheerioCrawler(
  {
    minConcurrency: 8,
    maxConcurrency: 8,
    autoscaledPoolOptions: {
      desiredConcurrency: 8,
      maybeRunIntervalSecs: 0.005,
      systemStatusOptions: {
        maxCpuOverloadedRatio: 1,
        maxEventLoopOverloadedRatio: 1,
        maxMemoryOverloadedRatio: 1,
      },
    },
    maxRequestRetries: 0,
    preNavigationHooks: [
      (_: unknown, got: { useHeaderGenerator: boolean; http2: boolean }) => {
        got.useHeaderGenerator = false
        got.http2 = false
      },
    ],
    useSessionPool: false,
    persistCookiesPerSession: false,
    // biome-ignore lint/suspicious/noExplicitAny: Crawlee is not a dependency, so its types are not available
    async requestHandler({ $, request }: any) {
      if ($('title').text() !== '') titles += 1
      const found: string[] = []
      for (const anchor of $('a[href]').get()) {
        const href: string = anchor.attribs.href
        if (href.startsWith('#') || !URL.canParse(href, request.loadedUrl)) continue
        const url = new URL(href, request.loadedUrl)
        url.hash = ''
        if (!url.href.startsWith(prefix) || !url.pathname.endsWith('.html') || seen.has(url.href)) continue
        seen.add(url.href)
        found.push(url.href)
      }
      if (found.length > 0) await crawler.addRequests(found, { waitBetweenBatchesMillis: 0 })
    },
  },
  new Configuration({ persistStorage: false, memoryMbytes: 4096, systemInfoV2: true }),
)
seen.add(start)
const { requestsFinished } = await crawler.run([start])
console.log(JSON.stringify({ pages: requestsFinished, titles }))
