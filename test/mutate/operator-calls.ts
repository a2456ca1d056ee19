// Pages, status, events, export and the command line.
import type { Mutation } from './mutation.ts'

const pages = 'test/e2e/pages.test.ts'
const list = 'services/page/page-list.test.ts'

export const operatorCallsMutations: Mutation[] = [
  {
    name: 'address-of-ended-run',
    file: 'services/store/sqlite/address.ts',
    search: 'or address.run = project.live_run)',
    replacement: 'or 1)',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'a deferred outcome is no visit',
  },
  {
    name: 'addresses-after-one',
    file: 'services/store/sqlite/address.ts',
    search: "after ? 'address.url > $after' : ",
    replacement: '',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'the addresses of one status are scanned',
  },
  {
    name: 'address-of-removed-page',
    file: 'services/store/sqlite/page.ts',
    search: 'delete from address where project = old.project',
    replacement: 'delete from address where 1 = 0 and project = old.project',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'a removed page goes from lists',
  },
  {
    name: 'folders-in-a-folder',
    file: 'services/store/sqlite/page.ts',
    search: " and instr(substr(page.url, length(?2) + 1), '/') = 0",
    replacement: '',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'the first pages of a folder',
  },
  {
    name: 'recrawled-address',
    file: 'services/store/sqlite/page.ts',
    search: 'writeAddress(db, project, row.url)',
    replacement: '',
    tests: [list],
    expected: 'a page that was read after it failed is indexed',
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
    search: "if (state.status === 'dropped') process.exitCode = 1",
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
