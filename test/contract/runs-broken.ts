// Drivers of the runs port that break exactly one promise each: wrappers over a good one. The case named must notice.
import { randomUUID } from 'node:crypto'
import type { RunStatus } from '../../services/store/run.ts'
import type { Store } from '../../services/store/store.ts'
import type { Breakage, RunsLab } from './runs-lab.ts'

export interface BrokenRuns extends Breakage {
  /** The promise that is broken. */
  promise: string
  /** The case that notices. */
  case: string
}

const done = async () => {}

async function liveRun(store: Store, project: string) {
  return (await store.runs.live()).find((run) => run.project === project)
}

/** Ends every live run in the store. */
async function endLive({ store, project }: RunsLab) {
  const run = await liveRun(store, project)
  const end = { status: 'cancelled' as const, at: new Date().toISOString(), error: null }
  if (run) await store.runs.finish(run.uuid, end)
}

/** Begins a new run in the place of one that has ended so. */
function beginningAgain(ended: RunStatus): Breakage['breaks'] {
  return (good, { store }) => ({
    async startSync(run) {
      const known = await store.runs.get(run.project, run.uuid)
      if (known?.status !== ended) return good.startSync(run)
      const again = { ...known, uuid: randomUUID(), status: 'queued' as const, finishedAt: null }
      await good.startSync((await store.runs.begin(again))!.run)
    },
  })
}

/** Starts a run only when the one before it, of whatever project, has ended. */
function inTurn(): BrokenRuns {
  let before = done()
  return {
    promise: 'projects are worked on at the same time',
    case: 'projects do not wait for one another',
    breaks: (good, { store, until }) => ({
      async startSync(run) {
        const hasEnded = async () => (await store.runs.live()).every(({ uuid }) => uuid !== run.uuid)
        before = before.then(() => good.startSync(run)).then(() => until('the run ends', hasEnded))
        before.catch(done)
      },
    }),
  }
}

/** Sweeps every project that it knows of to the ground. */
function sweepingAll(): BrokenRuns {
  const known = new Set<string>()
  return {
    promise: 'a sweep is of one project, and of nothing that readers see',
    case: 'a sweep takes the units of a deleted source out, and no others',
    breaks(_good, { project, index }) {
      known.add(project)
      return {
        async sweep() {
          for (const one of known) await index.drop(one)
        },
      }
    },
  }
}

/** Takes schedules in its first process only. */
function schedulesOnce(): BrokenRuns {
  let hasRestarted = false
  return {
    promise: 'schedules that are told after a start are taken',
    case: 'schedules are known after a restart',
    breaks: (good) => (hasRestarted ? { schedule: done } : { schedule: good.schedule }),
    async beforeStart() {
      hasRestarted = true
    },
  }
}

export const brokenRuns: BrokenRuns[] = [
  {
    promise: 'a run that is started is done',
    case: 'a run reads its sources to their end, and a second finds them unchanged',
    breaks: () => ({ startSync: done }),
  },
  {
    promise: 'a run that can read nothing fails',
    case: 'a run that can read none of its sources ends failed and says why',
    breaks: (good, { site, store }) => ({
      async startSync(run) {
        if (site.pages.size > 0) return good.startSync(run)
        await store.runs.finish(run.uuid, { status: 'completed', at: new Date().toISOString(), error: null })
      },
    }),
  },
  {
    promise: 'a driver that is open can be pinged',
    case: 'a run whose work cannot be started ends failed, and the next one begins',
    breaks: () => ({ ping: () => Promise.reject(new Error('no answer')) }),
  },
  {
    promise: 'the run before is stopped',
    case: 'a newer run takes the place of the one before, which asks for nothing more and writes nothing',
    breaks: (good) => {
      const busy = new Set<string>()
      return {
        async startSync(run) {
          if (busy.has(run.project)) return
          busy.add(run.project)
          await good.startSync(run)
        },
      }
    },
  },
  {
    promise: 'the newest run goes on',
    case: 'of runs begun at once the newest goes on, in whatever order the driver is told of them',
    breaks: (good, { store }) => ({
      async startSync(run) {
        const live = await liveRun(store, run.project)
        await good.startSync(run)
        // The one that the driver is told of last takes the place of any other.
        if (live && live.uuid !== run.uuid) await good.stopSync(live)
      },
    }),
  },
  {
    promise: 'ended runs are passed over by a start',
    case: 'a run that has ended, or that is unknown, is neither started nor stopped',
    breaks: beginningAgain('completed'),
  },
  {
    promise: 'unknown runs are passed over by a stop',
    case: 'a run that has ended, or that is unknown, is neither started nor stopped',
    breaks: (good, { store }) => ({
      async stopSync(run) {
        const known = await store.runs.get(run.project, run.uuid)
        if (known === null) throw new Error('there is no such run')
        await good.stopSync(run)
      },
    }),
  },
  {
    promise: 'what the store has ended is not begun',
    case: 'a run that is cancelled before its work starts asks the site for nothing',
    breaks: beginningAgain('cancelled'),
  },
  {
    promise: 'a stopped run asks for nothing more',
    case: 'a cancelled run gives up what it asks for, keeps the rest as pending and removes nothing',
    breaks: () => ({ stopSync: done }),
  },
  {
    promise: 'a stop is of one run',
    case: 'stopping an older run leaves the newer one alone',
    breaks: (good, { store }) => ({
      async stopSync(run) {
        await good.stopSync((await liveRun(store, run.project)) ?? run)
      },
    }),
  },
  inTurn(),
  {
    promise: 'a recrawl is done',
    case: 'a recrawl reads one page again and tells whether it changed',
    breaks: () => ({ startRecrawl: done }),
  },
  {
    promise: 'a recrawl tells the reason',
    case: 'a recrawl that indexes nothing tells why',
    breaks: (_good, { store }) => ({
      async startRecrawl({ uuid }) {
        const finishedAt = new Date().toISOString()
        await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt })
      },
    }),
  },
  {
    promise: 'a recrawl does not wait for the run',
    case: 'a recrawl is done beside a live run, and of one page the version fetched later stays',
    breaks: (good, lab) => ({
      async startRecrawl(recrawl) {
        const hasEnded = async () => (await liveRun(lab.store, recrawl.project)) === undefined
        lab.until('the run ends', hasEnded).then(
          () => good.startRecrawl(recrawl),
          () => {},
        )
      },
    }),
  },
  {
    promise: 'the units of a gone project are taken out',
    case: 'a project that is gone has its run stopped and its units taken out',
    breaks(good) {
      let last = { uuid: '', project: '' }
      return {
        async startSync(run) {
          last = run
          await good.startSync(run)
        },
        dropProject: () => good.stopSync(last),
      }
    },
  },
  {
    promise: 'the work for a gone project is stopped',
    case: 'a project that is gone has its run stopped and its units taken out',
    breaks: (_good, { index }) => ({ dropProject: (project) => index.drop(project) }),
  },
  {
    promise: 'units of a deleted source are taken out',
    case: 'a sweep takes the units of a deleted source out, and no others',
    breaks: () => ({ sweep: done }),
  },
  sweepingAll(),
  {
    promise: 'a schedule begins runs',
    case: 'a schedule comes due at its time in UTC, and a run is begun',
    breaks: () => ({ schedule: done }),
  },
  {
    promise: 'a schedule is in UTC',
    case: 'a schedule comes due at its time in UTC, and a run is begun',
    breaks: (good) => ({
      schedule: (project, cron) => good.schedule(project, cron?.replace(' 4 ', ' 5 ') ?? null),
    }),
  },
  {
    promise: 'either day is enough',
    case: 'a schedule of a day of the month and a day of the week comes due on either',
    // On both days at once it would not come due within the weeks that follow, or hardly ever.
    breaks: (good) => ({
      schedule: (project, cron) => good.schedule(project, cron === '0 3 1 * 1' ? null : cron),
    }),
  },
  {
    promise: 'the schedule set last counts',
    case: 'a schedule is changed and taken away',
    breaks: (good) => {
      const set = new Set<string>()
      return {
        async schedule(project, cron) {
          if (!set.has(project)) await good.schedule(project, cron)
          set.add(project)
        },
      }
    },
  },
  {
    promise: 'a schedule can be taken away',
    case: 'a schedule is changed and taken away',
    breaks: (good) => ({
      schedule: async (project, cron) => {
        if (cron !== null) await good.schedule(project, cron)
      },
    }),
  },
  {
    promise: 'a closed driver leaves runs live',
    case: 'closing gives up what is asked for and leaves runs and recrawls live: the next process ends them',
    breaks: (good, lab) => ({
      async close() {
        await endLive(lab)
        await good.close()
      },
    }),
  },
  {
    promise: 'what was begun is taken up again',
    case: 'a run whose start was answered is done by the next process, and so is a recrawl',
    breaks: () => ({}),
    async beforeStart({ store }) {
      for (const { uuid } of await store.runs.live()) {
        await store.runs.finish(uuid, { status: 'failed', at: new Date().toISOString(), error: null })
      }
    },
  },
  {
    promise: 'recrawls are taken up again',
    case: 'a run whose start was answered is done by the next process, and so is a recrawl',
    breaks: () => ({ startRecrawl: done }),
    async beforeStart({ store }) {
      const finishedAt = new Date().toISOString()
      for (const { uuid } of await store.recrawls.live()) {
        await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt })
      }
    },
  },
  schedulesOnce(),
  {
    promise: 'a driver that can start nothing says so',
    case: 'a driver answers a ping while work can be started, and refuses it when it is closed',
    breaks: () => ({ ping: done }),
  },
]
