// Processor time of a process, which measures the cost of a token even if other work distorts wall-clock time.
import { readdir, readFile } from 'node:fs/promises'

/** Microseconds so far. */
export interface CpuTime {
  /** Of the main thread, where every token passes. */
  main: number
  /** Of all threads, including garbage collection and search. */
  all: number
}

/** A clock tick of /proc: 10 ms. */
const tick = 10_000

export async function readCpuTime(pid: number): Promise<CpuTime> {
  const threads = await readdir(`/proc/${pid}/task`)
  const times = await Promise.all(threads.map((thread) => timeOf(`/proc/${pid}/task/${thread}/stat`)))
  return {
    main: times[threads.indexOf(String(pid))]!,
    all: times.reduce((sum, time) => sum + time, 0),
  }
}

/** User and system time: the 14th and 15th field; the second, a name in brackets, may contain spaces. */
async function timeOf(path: string): Promise<number> {
  const stat = await readFile(path, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tick
}
