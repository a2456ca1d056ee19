// Promises of the runs port, each broken in the in-process runner: the case of the contract that is named must fail.
import type { Mutation } from './mutation.ts'

const work = 'workflows/local/work.ts'
const driver = 'workflows/local/local-runs.ts'

type Row = [name: string, file: string, search: string, replacement: string, expected: string]

// biome-ignore format: a table
const rows: Row[] = [
  ['runner-starts', driver, 'startSync: (run) => begin(api.startSync(run)),', 'startSync: async () => {},',
    'a run reads its sources to their'],
  ['runner-fails-unread-runs', 'workflows/steps.ts', 'status: isFailed ?', 'status: false ?', 'a run that can read none of its'],
  ['runner-stops-the-run-before', work, 'for (const { stop } of before) stop.abort()', '',
    'a newer run takes the place of'],
  ['runner-passes-over-ended-runs', work, 'if (run === undefined || before', 'if (before', 'a run that has ended, or that'],
  ['runner-keeps-the-newest', work, 'if (run === undefined || before.some((job) => job.run!.fence >= run.fence)) return',
    'for (const { stop } of before) if (!run) stop.abort()\n    if (run === undefined) return',
    'of runs begun at once the newest'],
  ['runner-stops-one-run', work, 'if (run?.uuid === uuid) stop.abort()', 'if (run) stop.abort()',
    'stopping an older run leaves the'],
  ['runner-works-on-projects-at-once', work, '[...jobs].filter((job) => job.project === project)', '[...jobs]',
    'projects do not wait for one another'],
  ['runner-recrawls', driver, 'startRecrawl: (recrawl) => begin(api.startRecrawl(recrawl)),', 'startRecrawl: async () => {},',
    'a recrawl reads one page again'],
  ['runner-recrawls-beside-runs', work, 'if (recrawl !== null) await recrawlPage',
    'await Promise.all(listJobs(project).map(({ run, ended }) => run && ended))\n        if (recrawl !== null) await recrawlPage',
    'a recrawl is done beside a live run'],
  ['runner-stops-work-of-gone-projects', work, 'await stopAll(listJobs(project))', '', 'a project that is gone'],
  ['runner-drops-gone-projects', work, 'await stopAll(listJobs(project))\n      await index.drop(project)',
    'await stopAll(listJobs(project))', 'a project that is gone'],
  ['runner-sweeps', driver, 'sweep: (project) => begin(api.sweep(project)),', 'sweep: async () => {},',
    'a sweep takes the units of a'],
  ['runner-sweeps-deleted-units-only', work, 'sweepAll(store, index, project, signal)',
    'index.projects().then((all) => Promise.all(all.map((each) => index.drop(each)))).then(() => {})',
    'a sweep takes the units of a'],
  ['runner-schedules', driver, 'if (cron === null) return', 'return', 'a schedule comes due at its time'],
  ['runner-schedules-in-utc', driver, "timezone: 'UTC'", "timezone: 'Asia/Tokyo'", 'a schedule comes due at its time'],
  ['runner-schedules-on-either-day', driver, "timezone: 'UTC',", "timezone: 'UTC', domAndDow: true,",
    'a schedule of a day of the month and a'],
  ['runner-replaces-schedules', driver, 'schedules.get(project)?.stop()\n      schedules.delete(project)\n      if', 'if',
    'a schedule is changed and taken away'],
  ['runner-leaves-runs-live', work, 'closing.abort()\n',
    "for (const run of await store.runs.live()) await endRun(store, run, 'failed', now())\n      closing.abort()\n",
    'closing gives up what is asked for'],
  ['runner-resumes-runs', work, 'for (const run of await store.runs.live()) await beginSync(run, true)', '',
    'a run whose start was answered'],
  ['runner-resumes-recrawls', work, 'for (const recrawl of await store.recrawls.live()) beginRecrawl(recrawl, true)', '',
    'a run whose start was answered'],
  ['runner-restores-schedules', 'app/runs.ts', 'if (config.sync.schedule !== null) await', 'if (false) await',
    'schedules are known after a restart'],
  ['runner-refuses-when-closed', driver, 'if (failure !== null) throw new ThreadGone(failure)', '',
    'a driver answers a ping while'],
]

export const runnerMutations: Mutation[] = rows.map(([name, file, search, replacement, expected]) => ({
  ...{ name, file, search, replacement, expected },
  tests: ['test/contract/runs-local.test.ts'],
}))
