// Entry of a parse thread: the tasks that the parse pool may ask for. A page that fails for its own sake has an outcome too:
// a task rejects only where the thread is lost.
import { threadId } from 'node:worker_threads'
import { readRobotsFile } from '../../crawler/robots-file.ts'
import { readSitemapFile } from '../../crawler/sitemap-file.ts'
import * as pages from './parse-page.ts'

export type Outcome<Value> = { value: Value } | { fault: unknown }

export interface Job<Task> {
  task: Task
  /** Shared with the pool: the thread that is at work on the task, 0 before and after. */
  workedBy: Int32Array
}

export const parsePage = toOutcome(pages.parsePage)
export const unitsOf = toOutcome(pages.unitsOf)
export const robots = toOutcome(readRobotsFile)
export const sitemap = toOutcome(({ body, base }: { body: Uint8Array; base: string }) =>
  readSitemapFile(body, base),
)

function toOutcome<Task, Value>(work: (task: Task) => Value): (job: Job<Task>) => Outcome<Value> {
  return ({ task, workedBy }) => {
    Atomics.store(workedBy, 0, threadId)
    try {
      return { value: work(task) }
    } catch (fault) {
      return { fault }
    } finally {
      Atomics.store(workedBy, 0, 0)
    }
  }
}
