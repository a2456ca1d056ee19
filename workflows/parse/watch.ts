// Ends tasks that are at work for too long. What counts is the processor time of their thread, for on a loaded machine a good
// page may wait long for a processor.
import type { Worker } from 'node:worker_threads'

const lookInterval = 250
/**
 * Looks in a row, a minute of them, at which the thread has not even told its processor time. They are counted, since the
 * clock goes on where the process itself stands still.
 */
const maxUnanswered = 240

interface Watched {
  workedBy: Int32Array
  end(): void
  /** What the thread's processor time was when the task was first seen at work. */
  begunAt: number
  /** Looks since the thread last told its processor time. */
  unanswered: number
}

/**
 * The watch of a pool: `end` is called when a task takes more processor time than `cpuLimit`, in milliseconds. Answers how to
 * end the watch of it.
 */
export function createWatch(
  threads: () => Worker[],
  cpuLimit: number,
): (workedBy: Int32Array, end: () => void) => () => void {
  const tasks = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined

  function look() {
    for (const task of tasks) {
      const thread = Atomics.load(task.workedBy, 0)
      if (thread !== 0) check(task, thread).catch(() => {})
    }
  }

  async function check(task: Watched, thread: number) {
    task.unanswered += 1
    if (task.unanswered > maxUnanswered) return task.end()
    const worker = threads().find(({ threadId }) => threadId === thread)
    if (worker === undefined) return
    const { user, system } = await worker.cpuUsage()
    // It may have gone on to another task while it answered.
    if (!tasks.has(task) || Atomics.load(task.workedBy, 0) !== thread) return
    const cpu = (user + system) / 1_000
    task.unanswered = 0
    task.begunAt = Math.min(task.begunAt, cpu)
    if (cpu - task.begunAt > cpuLimit) task.end()
  }

  return (workedBy, end) => {
    const task: Watched = { workedBy, end, begunAt: Number.POSITIVE_INFINITY, unanswered: 0 }
    tasks.add(task)
    timer ??= setInterval(look, lookInterval)
    return () => {
      tasks.delete(task)
      if (tasks.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
