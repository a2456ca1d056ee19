// The crawlers of the crawl benchmark, one row each: how to start it on a manual.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { References } from '../references.ts'
import { runMeasured, type Usage } from '../usage.ts'

export interface CrawlTask {
  /** Start page. */
  start: string
  /** Addresses that count begin with this and end in `.html`. */
  prefix: string
}

export interface Crawler {
  name: string
  /** Null where it cannot be had on this machine. */
  crawl: ((task: CrawlTask) => Promise<Usage>) | null
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export function createCrawlers({ python, crawlee, wget }: References): Crawler[] {
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
    { name: 'wget', crawl: wget === null ? null : crawlByWget },
    {
      name: 'bare loop',
      crawl: ({ start, prefix }) =>
        runMeasured([process.execPath, here('bare-loop.ts'), start, prefix], {
          NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
        }),
    },
  ]
}

/** wget -r: one connection; links of `a` only, HTML only. It ends with 8 where a page was missing, as other crawlers do not. */
async function crawlByWget({ start }: CrawlTask): Promise<Usage> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-wget-'))
  const choice = ['--recursive', '--level=inf', '--no-parent', '--accept=html', '--follow-tags=a']
  const quiet = ['--quiet', '-e', 'robots=off', `--directory-prefix=${folder}`]
  try {
    return await runMeasured(['sh', '-c', 'wget "$@" || [ $? -eq 8 ]', 'wget', ...choice, ...quiet, start])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
