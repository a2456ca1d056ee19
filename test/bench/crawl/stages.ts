// Where a crawl's time goes: one more sync, under V8's profiler, which samples every thread of the process. A sample counts
// for the innermost frame of a stage, so that a library's work counts for its caller. The profiler itself costs time:
// use these shares, and the rates of the table before.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '../report.ts'

/** Part of a frame's file address → its stage; the first match counts. */
const owners: [part: RegExp, stage: string][] = [
  [/\/services\/(?:search\/vocabulary|index\/segments\/.*vocabulary)|\/workflows\/vocabulary/, 'vocabulary'],
  [/\/services\/index\/segments\//, 'index build'],
  [/\/services\/index\//, 'analyze'],
  [/\/crawler\/(?:extract|trap|scope|url|glob)|\/workflows\/parse\/parse-page/, 'parse'],
  [/\/crawler\/|\/undici\//, 'fetch'],
  [/\/services\/store\//, 'commit'],
  [/\/services\/thread\/|node:internal\/worker|\/workflows\/parse\/parse-pool/, 'messages'],
  [/\/workflows\//, 'plan'],
  [/node:internal\/(?:modules|bootstrap|deps\/amaro)/, 'start of threads'],
]
/** Frames that are a stage by their name. */
const signs: Record<string, string> = {
  '(garbage collector)': 'garbage',
  '(idle)': 'waiting',
}
const stages = [...new Set(owners.map(([, stage]) => stage)), 'garbage', 'other', 'waiting']

/** File of a function that only this thread calls → the thread; the first match counts. */
const threads: [part: RegExp, thread: string][] = [
  [/\/workflows\/(?:walk|visit|commit|source-walk)\.ts/, 'crawl'],
  [/\/workflows\/parse\/parse-page\.ts/, 'parse'],
]
const columns = [...threads.map(([, thread]) => thread), 'others']

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  /** Microseconds since the previous sample. */
  timeDeltas: number[]
  /** Microseconds of the machine's monotonic clock. */
  startTime: number
}

/**
 * `crawl` receives the environment for its Lectern, and returns when its sync began and ended (microseconds of
 * the monotonic clock); the process has ended when it resolves.
 */
export async function measureStages(
  manual: string,
  crawl: (env: Record<string, string>) => Promise<{ from: number; to: number }>,
): Promise<Table['rows']> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-stages-'))
  try {
    const span = await crawl({
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=1000`,
    })
    const seconds = new Map<string, number>()
    for (const file of await readdir(folder)) {
      const profile: Profile = JSON.parse(await readFile(join(folder, file), 'utf8'))
      addProfile(seconds, profile, span)
    }
    return stages.map((stage) => toRow(manual, stage, seconds))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function addProfile(seconds: Map<string, number>, profile: Profile, span: { from: number; to: number }) {
  // A frame without a name is a loading module, in any thread.
  const called = profile.nodes.filter(({ callFrame }) => callFrame.functionName !== '')
  const thread = threads.find(([part]) => called.some(({ callFrame }) => part.test(callFrame.url)))?.[1]
  const stageOf = toStages(profile)
  let at = profile.startTime
  for (const [number, node] of profile.samples.entries()) {
    const delta = profile.timeDeltas[number] ?? 0
    at += delta
    if (at < span.from || at > span.to) continue
    const key = `${thread ?? 'others'} ${stageOf.get(node)}`
    seconds.set(key, (seconds.get(key) ?? 0) + delta / 1e6)
  }
}

/** A node's stage is that of its own frame, otherwise its parent's. */
function toStages({ nodes }: Profile): Map<number, string> {
  const found = new Map<number, string>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const todo = nodes.slice(0, 1).map((root) => ({ node: root, inherited: 'other' }))
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { functionName, url } = next.node.callFrame
    const stage = signs[functionName] ?? owners.find(([part]) => part.test(url))?.[1] ?? next.inherited
    found.set(next.node.id, stage)
    for (const child of next.node.children ?? []) todo.push({ node: byId.get(child)!, inherited: stage })
  }
  return found
}

function toRow(manual: string, stage: string, seconds: Map<string, number>) {
  const of = (thread: string) => seconds.get(`${thread} ${stage}`) ?? 0
  const busy = [...seconds].filter(([key]) => !key.endsWith(' waiting')).reduce((sum, [, s]) => sum + s, 0)
  const total = columns.reduce((sum, thread) => sum + of(thread), 0)
  return {
    manual,
    stage,
    ...Object.fromEntries(columns.map((thread) => [`${thread} s`, of(thread)])),
    'all s': total,
    'share of work %': stage === 'waiting' ? null : (100 * total) / busy,
  }
}
