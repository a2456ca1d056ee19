// Threads that parse and analyze untrusted content (documents of sources, robots.txt) under limits of time and memory. Neither the
// gateway nor fetching waits for them.
import pTimeout from 'p-timeout'
import type { RobotsFile } from '../../crawler/robots.ts'
import type { Unit } from '../../services/index/search-index.ts'
import type { PageIdentity } from '../../services/index/units.ts'
import { createSemaphore } from '../../services/semaphore.ts'
import type { PageContent } from '../../services/store/page.ts'
import { threadKinds } from '../../services/thread/kinds.ts'
import { createThread, ThreadGone } from '../../services/thread/thread.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { readTaskAnswer } from '../../sources/source-type.ts'
import type { ParsedPage, ParseRequest } from './parse-page.ts'
import type { ParseApi } from './parse-thread.ts'

/** Tasks queued at each thread, so that it stays busy while the dispatching thread works. */
const tasksAhead = 4
/** Attempts of a task whose thread dies because of another task. */
const maxTries = 10

/** The project of a task. Projects share the threads evenly. */
export interface ParseContext {
  project: string
  signal: AbortSignal
}

/** A task rejects if it exceeds its time or memory, or if its signal aborts. */
export interface ParsePool {
  parse(request: ParseRequest, context: ParseContext): Promise<ParsedPage>
  units(page: PageIdentity, content: PageContent, context: ParseContext): Promise<Unit[]>
  robots(body: Uint8Array, context: ParseContext): Promise<RobotsFile>
  /** Runs a task of a source type's parser. */
  read(type: SourceTypeName, task: string, input: unknown[], context: ParseContext): Promise<unknown>
  close(): Promise<void>
}

/** Starts up to `size` threads on demand. If one dies, `report` receives the reason, and the next task starts a new one. */
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
      // No restart delay: the attempts of each task are limited.
      settleTime: 0,
    }),
    tasks: 0,
  }))
  const semaphore = createSemaphore({ max: size * tasksAhead })

  /** The first thread with the fewest tasks, so that others may become idle and end. */
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
        // All queued tasks of a dead thread reject. Only the task that it was running is at fault.
        if (error.wasFirst || tries === maxTries) throw new ParseLimit(error)
      }
    }
  }

  return {
    parse: (request, context) => run(context, ({ parse }) => parse(request)),
    units: (page, content, context) => run(context, ({ units }) => units(page, content)),
    robots: (body, context) => run(context, ({ robots }) => robots(body)),
    read: async (...[type, task, input, context]) =>
      readTaskAnswer(await run(context, ({ read }) => read(type, task, input))),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

/** A task exceeded its time or memory. */
export class ParseLimit extends Error {
  constructor(cause: unknown) {
    super('the task exceeded its limit of time or memory', { cause })
  }
}
