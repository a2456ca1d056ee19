// The crawlers of the crawl benchmark, one row each: how to start it on a manual.
import { fileURLToPath } from 'node:url'
import type { References } from '../references.ts'
import { runMeasured, type Usage } from '../usage.ts'

export interface CrawlTask {
  /** Start page. */
  start: string
  /** Relevant addresses begin with this and end in `.html`. */
  prefix: string
}

export interface Crawler {
  name: string
  /** Null if it is unavailable on this machine. */
  crawl: ((task: CrawlTask) => Promise<Usage>) | null
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export function createCrawlers({ python, crawlee }: References): Crawler[] {
  return [
    {
      name: 'Scrapy',
      crawl:
        python === null
          ? null
          : ({ start, prefix }) => runMeasured([python, here('scrapy_spider.py'), start, prefix]),
    },
    {
      name: 'Crawlee',
      crawl:
        crawlee === null
          ? null
          : ({ start, prefix }) =>
              runMeasured([process.execPath, here('crawlee.ts'), crawlee, start, prefix], {
                NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
              }),
    },
    {
      name: 'bare loop',
      crawl: ({ start, prefix }) =>
        runMeasured([process.execPath, here('bare-loop.ts'), start, prefix], {
          NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
        }),
    },
  ]
}
