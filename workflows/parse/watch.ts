// Ends tasks that are at work for too long. What counts is the processor time of their thread, for on a loaded machine a good
// page may wait long for a processor.
import type { Worker } from 'node:worker_threads'

/** By the clock, in milliseconds, where the thread does not even tell its processor time. */
const clockLimit = 60_000
const lookEvery = 250

interface Watched {
  workedBy: Int32Array
  end(): void
  /** What the thread's processor time and the clock showed when the task was first seen at work. */
  begun: { cpu: number; at: number } | null
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
      if (thread !== 0) judge(task, thread).catch(() => {})
    }
  }

  async function judge(task: Watched, thread: number) {
    const at = performance.now()
    if (task.begun !== null && at - task.begun.at > clockLimit) return task.end()
    const worker = threads().find(({ threadId }) => threadId === thread)
    if (worker === undefined) return
    task.begun ??= { cpu: Number.POSITIVE_INFINITY, at }
    const { user, system } = await worker.cpuUsage()
    // It may have gone on to another task while it answered.
    if (!tasks.has(task) || Atomics.load(task.workedBy, 0) !== thread) return
    const cpu = (user + system) / 1_000
    task.begun.cpu = Math.min(task.begun.cpu, cpu)
    if (cpu - task.begun.cpu > cpuLimit) task.end()
  }

  return (workedBy, end) => {
    const task: Watched = { workedBy, end, begun: null }
    tasks.add(task)
    timer ??= setInterval(look, lookEvery)
    return () => {
      tasks.delete(task)
      if (tasks.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
