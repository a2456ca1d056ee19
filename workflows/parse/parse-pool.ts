// Threads that read what strangers wrote (documents of sources, robots.txt) and analyze it, under limits of time and memory, so that
// neither the gateway nor the fetching waits for it.
import pTimeout from 'p-timeout'
import type { RobotsFile } from '../../crawler/robots.ts'
import type { Unit } from '../../services/index/search-index.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { PageContent } from '../../services/store/page.ts'
import type { SourceType } from '../../services/store/source.ts'
import { threadKinds } from '../../services/thread/kinds.ts'
import { createThread, ThreadGone } from '../../services/thread/thread.ts'
import type { PageIdentity, ParsedPage, ParseRequest } from './parse-page.ts'
import type { ParseApi } from './parse-thread.ts'

/** Tasks queued at each thread, so that it stays busy while the dispatching thread works. */
const tasksAhead = 4
/** Tries of a task whose thread dies of another task before this one has begun. */
const maxTries = 10

/** For whom something is read: projects share the threads evenly. */
export interface ParseContext {
  project: string
  signal: AbortSignal
}

/** What takes more time or memory than a task may rejects, and so does what its signal aborts. */
export interface ParsePool {
  parse(request: ParseRequest, context: ParseContext): Promise<ParsedPage>
  units(page: PageIdentity, content: PageContent, context: ParseContext): Promise<Unit[]>
  robots(body: Uint8Array, context: ParseContext): Promise<RobotsFile>
  /** A task of the parser of a source type. */
  read(type: SourceType, task: string, input: unknown[], context: ParseContext): Promise<unknown>
  close(): Promise<void>
}

/** Starts up to `size` threads on demand. `report` receives the reason when one dies; the next task gets a new one. */
export function openParsePool(
  size: number,
  report: (error: unknown) => void = () => {},
  {
    entry = new URL('./parse-thread.ts', import.meta.url),
    cpuLimit = threadKinds.parse.cpuLimit as number,
  } = {},
): ParsePool {
  const threads = Array.from({ length: size }, () => ({
    ...createThread<ParseApi>({
      ...threadKinds.parse,
      ...{ entry, cpuLimit, report, workerData: null },
      // Tasks wait for the next thread, and each is tried so often only.
      settleTime: 0,
    }),
    tasks: 0,
  }))
  const semaphore = createSemaphore({ max: size * tasksAhead })

  /** The first of those that have the fewest tasks, so that the others may rest. */
  const idlest = () => threads.reduce((least, thread) => (thread.tasks < least.tasks ? thread : least))

  async function runOnce<Result>(task: (api: ParseApi) => Promise<Result>): Promise<Result> {
    const thread = idlest()
    thread.tasks += 1
    return task(thread.api).finally(() => {
      thread.tasks -= 1
    })
  }

  async function run<Result>(
    { project, signal }: ParseContext,
    task: (api: ParseApi) => Promise<Result>,
  ): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await semaphore.run(
          project,
          () => pTimeout(runOnce(task), { milliseconds: Number.POSITIVE_INFINITY, signal }),
          signal,
        )
      } catch (error) {
        if (!(error instanceof ThreadGone)) throw error
        // A thread that is lost takes along what waits at it: at fault is the task that it was at work on.
        if (error.wasFirst || tries === maxTries) throw new ParseLimit(error)
      }
    }
  }

  return {
    parse: (request, context) => run(context, ({ parse }) => parse(request)),
    units: (page, content, context) => run(context, ({ units }) => units(page, content)),
    robots: (body, context) => run(context, ({ robots }) => robots(body)),
    read: (type, task, input, context) => run(context, ({ read }) => read(type, task, input)),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

/** The task took more time or memory than a task may. */
export class ParseLimit extends Error {
  constructor(cause: unknown) {
    super('reading it took more time or memory than it may', { cause })
  }
}
