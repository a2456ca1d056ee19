// Pages, status, events, export and the command line.
import type { Mutation } from './mutation.ts'

const pages = 'test/e2e/pages.test.ts'
const list = 'services/page/page-list.test.ts'

export const operatorCallsMutations: Mutation[] = [
  {
    name: 'page-list-once',
    file: 'services/page/page-list.ts',
    search: 'for (const url of found.stale) stale.add(url)',
    replacement: '',
    tests: [list],
    expected: 'each address is listed once across pages',
  },
  {
    name: 'page-read-after-failure',
    file: 'services/page/page-list.ts',
    search: 'return page === null || page.fetchedAt < event.at',
    replacement: 'return page === null || event.at !== null',
    tests: [list],
    expected: 'a page that was read after it failed is indexed',
  },
  {
    name: 'addresses-after-one',
    file: 'services/store/sqlite/page.ts',
    search: 'values: [project, after || urlPrefix,',
    replacement: 'values: [project, urlPrefix,',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'pages are listed by address, by prefix and by source',
  },
  {
    name: 'failing-before-fetch',
    file: 'services/store/sqlite/page.ts',
    search: 'and (page.id is null or page.fetched_at < run_event.at)',
    replacement: '',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'addresses that failed or were skipped come unless they were fetched later',
  },
  {
    name: 'test-only-in-scope',
    file: 'workflows/test-address.ts',
    search: 'if (!crawl.scope.covers(url)) {',
    replacement: 'if (url === "") {',
    tests: ['test/e2e/test-url.test.ts'],
    expected: 'an address outside of the source is not asked for',
  },
  {
    name: 'page-list-run',
    file: 'services/page/page-list.ts',
    search: "return rows.find(({ status }) => status !== 'cancelled') ?? rows[0] ?? null",
    replacement: 'return rows[0] ?? null',
    tests: [list],
    expected: 'skipped and failed addresses come from the latest run',
  },
  {
    name: 'event-filter-by-address',
    file: 'services/sync/sync-service.ts',
    search: 'url: url ? (normalizeUrl(url) ?? url) : undefined,',
    replacement: '',
    tests: [pages],
    expected: 'a page that fails later is listed as failed',
  },
  {
    name: 'status-of-scoped-keys',
    file: 'services/status/status-service.ts',
    search: 'projects && [...projects]',
    replacement: 'projects && null',
    tests: ['test/e2e/rest-status.test.ts'],
    expected: 'a scoped key sees only its own',
  },
  {
    name: 'recrawl-exit-code',
    file: 'cli/runs.ts',
    search: 'if (state.status === RecrawlStatus.DROPPED) process.exitCode = 1',
    replacement: '',
    tests: ['test/e2e/operator-commands.test.ts'],
    expected: 'recrawl waits for the outcome',
  },
  {
    name: 'progress-fits-terminal',
    file: 'cli/progress.ts',
    search: 'columns - 1 : Number.POSITIVE_INFINITY',
    replacement: 'columns + 99 : Number.POSITIVE_INFINITY',
    tests: ['cli/progress.test.ts'],
    expected: 'fits on one line of a terminal',
  },
  {
    name: 'export-from-snapshot',
    file: 'services/drivers.ts',
    search: "if (backends.mongodb) return openStore(backends, 'work')",
    replacement: "return openStore(backends, 'work')",
    tests: ['services/store/sqlite/snapshot.test.ts'],
    expected: 'a snapshot does not see what is written after it',
  },
]
