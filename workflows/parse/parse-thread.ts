// Entry of a parse thread. Runs the tasks of the parse pool, one after the other.
import { readRobotsFile } from '../../crawler/robots.ts'
import { type PageIdentity, toUnits } from '../../services/index/units.ts'
import type { PageContent } from '../../services/store/page.ts'
import { serveThread } from '../../services/thread/thread.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { answerTask, type TaskAnswer } from '../../sources/source-type.ts'
import { createOrder } from './in-order.ts'
import { loadParser, type ParseRequest, parsePage } from './parse-page.ts'

const tasks = {
  parse: (request: ParseRequest) => parsePage(request),
  units: async (page: PageIdentity, content: PageContent) => toUnits(page, content),
  robots: async (body: Uint8Array) => readRobotsFile(body),
  async read(type: SourceTypeName, task: string, input: unknown[]): Promise<TaskAnswer> {
    const { tasks = {} } = await loadParser(type)
    return answerTask(() => tasks[task]!(...(input as never[])))
  },
}

export type ParseApi = typeof tasks

/** Longer than the timeout of a PDF, the longest of all tasks. */
const inOrder = createOrder(60_000)

serveThread('parse', {
  parse: inOrder(tasks.parse),
  units: inOrder(tasks.units),
  robots: inOrder(tasks.robots),
  read: inOrder(tasks.read),
})
