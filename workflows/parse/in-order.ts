// Tasks of a thread, one after the other, so that the one which ends the thread is known: it is the oldest.

/** A task that takes more milliseconds, waiting or not, ends the thread: one that never stands still ends no sooner. */
export function createOrder(maxTime: number) {
  let last: Promise<unknown> = Promise.resolve()

  async function limited<Result>(task: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => {
      throw new Error(`a task took more than ${maxTime / 1000} s`)
    }, maxTime)
    return task().finally(() => clearTimeout(timer))
  }

  return <Args extends unknown[], Result>(task: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const result = last.then(() => limited(() => task(...args)))
      last = result.catch(() => {})
      return result
    }
}
