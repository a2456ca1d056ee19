// Protections of the product, each taken out by one change of text; the tests named beside it must then fail.
import { accessMutations } from './access.ts'
import { analyticsRulesMutations } from './analytics-rules.ts'
import { answersMutations } from './answers.ts'
import { inputsMutations } from './inputs.ts'
import { amounts, costs } from './limits.ts'
import type { Mutation } from './mutation.ts'
import { operationsMutations } from './operations.ts'
import { operatorCallsMutations } from './operator-calls.ts'
import { runnerMutations } from './runner.ts'
import { runsMutations } from './runs.ts'
import { surfacesMutations } from './surfaces.ts'

const kill = 'test/e2e/kill.test.ts'

const work: Mutation[] = [
  {
    name: 'marks-outlast-the-removal',
    file: 'workflows/steps.ts',
    search: `    await remove()
    await hold([])`,
    replacement: `    await hold([])
    await remove()`,
    tests: ['test/e2e/kill-removal.test.ts'],
    expected: 'a kill before the removal leaves no part of them',
  },
  {
    name: 'resume-runs',
    file: 'workflows/local/work.ts',
    search: 'for (const run of await store.runs.live()) await beginSync(run, true)',
    replacement: '',
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'resume-recrawls',
    file: 'workflows/local/work.ts',
    search: 'for (const recrawl of await store.recrawls.live()) beginRecrawl(recrawl, true)',
    replacement: '',
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'give-up-after-three-deaths',
    file: 'workflows/recovery.ts',
    search: 'const maxAttempts = 3',
    replacement: 'const maxAttempts = 300',
    tests: ['test/sync/deaths.test.ts'],
    expected: 'a run that ends its thread three times at the same place fails',
  },
  {
    name: 'count-no-death-that-others-may-bring',
    file: 'workflows/recovery.ts',
    search: 'fallback: before.release,',
    replacement: 'message: false,',
    tests: ['test/sync/crash-loops.test.ts'],
    expected: 'it is not given up for what ends the thread when others have begun',
  },
  {
    name: 'resume-one-at-a-time-on-temporal',
    file: 'workflows/temporal/activities.ts',
    search: 'await recovery.run(run, { isResumed, signal }',
    replacement: 'await recovery.run(run, { isResumed: false, signal }',
    tests: ['workflows/temporal/activities.test.ts'],
    expected: 'of two runs of a worker that has died, the second waits for the first',
  },
  {
    name: 'remove-orphans-at-start',
    file: 'workflows/recovery.ts',
    search: 'if (orphans.length > 0) await index.remove(project, orphans)',
    replacement: '',
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'units-before-pages',
    file: 'workflows/commit.ts',
    search: `  await index.add(
    project,
    publications.flatMap((publication) => publication.units),
  )
  const results = await store.pages.publish(project, fence, publications)`,
    replacement: `  const results = await store.pages.publish(project, fence, publications)
  await index.add(
    project,
    publications.flatMap((publication) => publication.units),
  )`,
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'put-lost-index-back',
    file: 'workflows/steps.ts',
    search: 'await restorePages()',
    replacement: '',
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'sweep-superseded-versions',
    file: 'workflows/recovery.ts',
    search: 'await index.remove(project, versions)',
    replacement: '',
    tests: [kill],
    expected: 'kills lose nothing that was acknowledged',
  },
  {
    name: 'hold-removals-of-more-than-half',
    file: 'workflows/steps.ts',
    search: 'return gone.length > before / 2 && !heldBefore',
    replacement: 'return gone.length > before && !heldBefore',
    tests: ['test/sync/life.test.ts', 'test/sync/skips.test.ts'],
    expected: 'removals of more than half are held once',
  },
]

const disk: Mutation[] = [
  {
    name: 'flush-segments',
    file: 'services/index/segments/bytes-file.ts',
    search: '      fdatasyncSync(file)\n',
    replacement: '',
    tests: ['services/index/segments/write-order.test.ts'],
    expected: 'names a segment when it is on the disk',
  },
  {
    name: 'flush-manifest-before-its-name',
    file: 'services/index/segments/manifest.ts',
    search: '  fdatasyncSync(file)\n',
    replacement: '',
    tests: ['services/index/segments/write-order.test.ts'],
    expected: 'names a segment when it is on the disk',
  },
  {
    name: 'take-replaced-files-away-last',
    file: 'services/index/segments/file-set.ts',
    search: '      writeManifest(manifest, next)\n      update()\n      for (const',
    replacement: `      for (const { name } of removed) rmSync(join(folder, name), { force: true })
      writeManifest(manifest, next)
      update()
      for (const`,
    tests: ['services/index/segments/write-order.test.ts'],
    expected: 'takes those that it replaces away after that',
  },
  {
    name: 'fence-publications',
    file: 'services/store/sqlite/run.ts',
    search: '(?2 is null or (fence = ?2 and live_run is not null))',
    replacement: '(?2 is null or ?2 is not null)',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'no write of an ended run gets through',
  },
  {
    name: 'keep-the-page-fetched-later',
    file: 'services/store/sqlite/page.ts',
    search: 'and version = $replaces and fetched_at <= $fetchedAt',
    replacement: 'and version = $replaces',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'another version than the one replaced',
  },
  {
    name: 'try-again-while-another-writes',
    file: 'services/store/sqlite/connection.ts',
    search: 'const retryable = [busy, 10, 13]',
    replacement: 'const retryable: number[] = []',
    tests: ['services/store/sqlite/connection.test.ts'],
    expected: 'what cannot be written while another handle writes is to be tried again',
  },
  {
    name: 'keep-counted-messages',
    file: 'services/store/sqlite/limit.ts',
    search: 'else count + 1 end',
    replacement: 'else count end',
    tests: ['test/contract/store-sqlite.test.ts'],
    expected: 'a window begins with its first message',
  },
]

const access: Mutation[] = [
  {
    name: 'refuse-addresses-that-are-not-public',
    file: 'crawler/dial.ts',
    search: 'if (!addresses.every(isAllowed))',
    replacement: 'if (false)',
    tests: ['test/e2e/hostile-sites.test.ts'],
    expected: 'no address that is not public is read',
  },
  {
    name: 'end-circles-of-redirects',
    file: 'crawler/fetch-result.ts',
    search: "to === url ? failed('connection', endlessRedirects, true) : ",
    replacement: '',
    tests: ['test/e2e/hostile-sites.test.ts'],
    expected: 'every page of a hostile site has its outcome, and nothing is asked for twice',
  },
  {
    name: 'restore-token-of-the-chat',
    file: 'services/chat/chat-access.ts',
    search: 'tokens.verify(chat.uuid, restoreToken) ||',
    replacement: "restoreToken !== '' ||",
    tests: ['services/chat/chat-access.test.ts'],
    expected: 'with another chat’s token continue: false',
  },
  {
    name: 'allowed-domains',
    file: 'services/project/allowed-domain.ts',
    search: 'host.endsWith(domain.slice(1))',
    replacement: 'host.endsWith(domain.slice(2))',
    tests: ['services/project/allowed-domain.test.ts'],
    expected: 'https://badexample.org/: false',
  },
  {
    name: 'origin-judged-over-rest',
    file: 'services/guard/admit.ts',
    search: 'if (isJudgedByOrigin(access, caller)) checkOrigin(project.allowedDomains, caller.origin)',
    replacement: '',
    tests: ['test/chat/origin.test.ts'],
    expected: 'chat from a page elsewhere that writes an allowed url',
  },
  {
    name: 'origin-told-to-the-core',
    file: 'gateway/core-client.ts',
    search: 'origin: caller.origin(request),',
    replacement: 'origin: null,',
    tests: ['test/chat/origin.test.ts'],
    expected: 'a socket from a page elsewhere is accepted, and each of its messages refused',
  },
  {
    name: 'all-lines-of-x-forwarded-for',
    file: 'gateway/http.ts',
    search: 'lines.set(name, seen.has(name) ?',
    replacement: "lines.set(name, seen.has('') ?",
    tests: ['test/e2e/rest-headers.test.ts'],
    expected: 'are one: a proxy adds its own behind the client’s',
  },
]

/** What is fetched and run. */
const models: Mutation[] = [
  {
    name: 'hash-of-a-fetched-model',
    file: 'services/model/local/fetch-model.ts',
    search: 'if (found !== options.sha256)',
    replacement: 'if (found === null)',
    tests: ['services/model/local/fetch-model.test.ts'],
    expected: 'a changed file is told',
  },
  {
    name: 'size-of-a-fetched-model',
    file: 'services/model/local/fetch-model.ts',
    search: 'if (read > options.bytes)',
    replacement: 'if (read < 0)',
    tests: ['services/model/local/fetch-model.test.ts'],
    expected: 'a file without end is told',
  },
  {
    name: 'models-by-https-alone',
    file: 'services/model/local/fetch-model.ts',
    search: "next?.protocol !== 'https:' && next?.protocol !== start.protocol",
    replacement: 'next === null',
    tests: ['services/model/local/fetch-model.test.ts'],
    expected: 'from https it is not redirected to http',
  },
  {
    name: 'hash-of-a-model-that-is-there',
    file: 'services/model/local/fetch-model.ts',
    search: 'if (hash !== null && file.releases.some(({ sha256 }) => sha256 === hash)) continue',
    replacement: 'if (hash !== null) continue',
    tests: ['services/model/local/kept-model.test.ts'],
    expected: 'that was cut or changed is named, and fetched anew',
  },
  {
    name: 'settings-kept-from-pip',
    file: 'services/config/variable.ts',
    search: "!name.startsWith('LECTERN_')",
    replacement: "name !== ''",
    tests: ['services/config/child-environment.test.ts'],
    expected: 'a program that Lectern starts is told nothing of its settings',
  },
]

export const mutations: Mutation[] = [
  ...work,
  ...disk,
  ...costs,
  ...access,
  ...amounts,
  ...models,
  ...accessMutations,
  ...analyticsRulesMutations,
  ...runsMutations,
  ...runnerMutations,
  ...inputsMutations,
  ...surfacesMutations,
  ...answersMutations,
  ...operationsMutations,
  ...operatorCallsMutations,
]
