// The moment at which a Lectern process is killed: a file in its data folder, read by every thread of the process at
// each call of its store and index (see doomed-process.ts).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Moment {
  /** Method of the store (`frontier.settle`), of the index (`index.add`), or `manifest.write`. */
  call: string
  /** The number of the call, from 1. */
  nth: number
  /** Whether to kill after the call has taken effect. */
  after: boolean
  /** Counts only calls of a run that has finished its walk. */
  late: boolean
}

/** The first call that a run makes after it has walked all its sources. */
const walked = 'frontier.deferred'

const toPaths = (data: string) => ({
  doom: join(data, 'doom'),
  walked: join(data, 'doom-walked'),
  died: join(data, 'doom-died'),
})

/** Makes a process on the folder die at the moment. */
export function doom(data: string, moment: Moment): void {
  writeFileSync(toPaths(data).doom, JSON.stringify(moment))
}

/** Returns whether the moment came, and clears it. */
export function takeDoom(data: string): boolean {
  const paths = toPaths(data)
  const came = existsSync(paths.died)
  for (const path of Object.values(paths)) rmSync(path, { force: true })
  return came
}

/** In the process: functions to call before and after each call. Counts the calls of its thread. */
export function createDoomWatch(data: string) {
  const paths = toPaths(data)
  let moment: Moment | null = null
  let count = 0

  function isMoment(call: string): boolean {
    if (moment === null) {
      if (!existsSync(paths.doom)) return false
      moment = JSON.parse(readFileSync(paths.doom, 'utf8')) as Moment
    }
    if (call === walked) writeFileSync(paths.walked, '')
    if (call !== moment.call || (moment.late && !existsSync(paths.walked))) return false
    count += 1
    return count === moment.nth
  }

  function die(): void {
    writeFileSync(paths.died, '')
    process.kill(process.pid, 'SIGKILL')
  }

  return {
    async around<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
      const isNow = isMoment(call)
      if (isNow && !moment!.after) die()
      const result = await work()
      if (isNow) die()
      return result
    },
    aroundSync<Result>(call: string, work: () => Result): Result {
      const isNow = isMoment(call)
      if (isNow && !moment!.after) die()
      const result = work()
      if (isNow) die()
      return result
    },
  }
}
