// Who runs the model next: it does one thing at a time, and readers wait for some of them.
import { ModelError, type TextKind } from '../model.ts'

/** Passages of an answer are a reader's too; nobody waits for those of `background`. */
export type Lane = TextKind | 'background'

/** Milliseconds without a reader's run, after which the background's next one begins: a reader who types comes again before. */
const quietTime = 500
/** Milliseconds that the background waits for each of its runs at most, however many readers there are. */
const maxWait = 2_000

const readers: TextKind[] = ['question', 'passage']

export type RunQueue = <Result>(lane: Lane, run: () => Promise<Result>) => Promise<Result>

/** One run at a time: questions, then passages of answers, then the background. A text that makes the model fail always does. */
export function createRunQueue(): RunQueue {
  const waiting: Record<Lane, (() => void)[]> = { question: [], passage: [], background: [] }
  let lastReader = Number.NEGATIVE_INFINITY
  let backgroundWaitsSince = 0
  let busy = false
  let timer: NodeJS.Timeout | undefined

  function startNext() {
    if (busy) return
    clearTimeout(timer)
    const now = performance.now()
    const due = backgroundWaitsSince + maxWait
    const isDue = waiting.background.length > 0 && now >= due
    const lane = (isDue ? null : readers.find((each) => waiting[each].length > 0)) ?? 'background'
    if (waiting[lane].length === 0) return
    const wait = lane === 'background' ? Math.min(lastReader + quietTime, due) - now : 0
    if (wait > 0) {
      timer = setTimeout(startNext, wait)
      return
    }
    busy = true
    waiting[lane].shift()!()
  }

  return async (lane, run) => {
    await new Promise<void>((resolve) => {
      if (waiting.background.length === 0) backgroundWaitsSince = performance.now()
      waiting[lane].push(resolve)
      startNext()
    })
    try {
      return await run()
    } catch (error) {
      throw new ModelError('refused', error)
    } finally {
      if (lane === 'background') backgroundWaitsSince = performance.now()
      else lastReader = performance.now()
      busy = false
      startNext()
    }
  }
}
