// What a process that stands still is at, for the message of a test that gives up waiting for it.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../../services/store/store.ts'
import type { LecternProcess } from '../lectern-process.ts'

const lastOnes = 12
/** Milliseconds between the two looks at what threads take of the processor. */
const between = 1_000

/** The last events of each live run, the last lines printed, and the threads that work or wait. */
export async function describeStandstill(store: Store, { process: child, output }: LecternProcess) {
  const lines: string[] = []
  for (const { uuid, startedAt } of await store.runs.live()) {
    const { count } = await store.runs.events(uuid, {}, { offset: 0, limit: 1 })
    const last = { offset: Math.max(0, count - lastOnes), limit: lastOnes }
    const { rows } = await store.runs.events(uuid, {}, last)
    lines.push(`run ${uuid}, since ${startedAt}:`, ...rows.map((event) => JSON.stringify(event)))
  }
  for (const recrawl of await store.recrawls.live()) lines.push(JSON.stringify(recrawl))
  const before = threadsOf(child.pid!)
  await delay(between)
  const after = threadsOf(child.pid!)
  const threads = [...after].map(
    ([id, { state, ticks }]) => `${id} ${state} +${ticks - (before.get(id)?.ticks ?? 0)}`,
  )
  return [...lines, `threads: ${threads.join(', ')}`, ...output.slice(-lastOnes)].join('\n')
}

/** Id → state and processor time in ticks, of each thread (proc_pid_stat(5)); none where there is no /proc. */
function threadsOf(pid: number): Map<string, { state: string; ticks: number }> {
  const folder = `/proc/${pid}/task`
  try {
    return new Map(
      readdirSync(folder).map((id) => {
        const text = readFileSync(`${folder}/${id}/stat`, 'utf8')
        const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ')
        return [id, { state: state!, ticks: Number(rest[10]) + Number(rest[11]) }]
      }),
    )
  } catch {
    return new Map()
  }
}
