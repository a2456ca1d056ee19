// Items of a stream on their way through a layer. A plain iterator: a generator a layer costs several times as much an
// item, and every token of every answer passes here.

export interface Layer<From, To> {
  change(item: From): To
  /** The error to throw in place of one that reading threw. */
  seen?(error: unknown): unknown
  /** Called once, when the last item was read, reading failed, or the reader stopped. */
  end?(): void
}

export function passing<From, To>(items: AsyncIterable<From>, layer: Layer<From, To>): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const { done, value } = await iterator.next()
            if (!done) return { done: false, value: layer.change(value) }
            layer.end?.()
            return { done: true, value }
          } catch (error) {
            layer.end?.()
            throw layer.seen ? layer.seen(error) : error
          }
        },
        async return() {
          layer.end?.()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
