// Runs the tasks of a thread one after the other: if the thread dies, the oldest task caused it.

/** A task that takes longer than `maxTime` milliseconds ends the thread, even if it only waits. */
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
