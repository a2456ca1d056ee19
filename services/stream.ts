// Streams with one reader, which reads one item at a time. They are plain iterators, because every token of every answer passes
// several of them, and async generators take several times as long per item.

interface Layer<From, To> {
  map?(item: From): To
  /** Converts an error thrown by reading. */
  mapError?(error: unknown): unknown
  /** Called once: after the last item, after an error (and `mapError`), or if the reader stops. */
  onEnd?(): void
}

/** Converts the items and errors of a stream. */
export function mapStream<From, To = From>(
  items: AsyncIterable<From>,
  { map, mapError, onEnd }: Layer<From, To>,
): AsyncIterable<To> {
  function fail(error: unknown): never {
    const converted = mapError ? mapError(error) : error
    onEnd?.()
    throw converted
  }

  function pass(result: IteratorResult<From>): IteratorResult<To> {
    if (result.done) {
      onEnd?.()
      return result
    }
    if (!map) return result as IteratorResult<never>
    try {
      return { done: false, value: map(result.value) }
    } catch (error) {
      return fail(error)
    }
  }

  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      return {
        next: () => iterator.next().then(pass, fail),
        async return() {
          onEnd?.()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** A stream that `open` opens on the first read. Reading throws the errors of `open`. */
export function lazyStream<Item>(open: () => Promise<AsyncIterable<Item>>): AsyncIterable<Item> {
  let opened: Promise<AsyncIterator<Item>> | null = null
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        opened ??= open().then((stream) => stream[Symbol.asyncIterator]())
        return opened.then((iterator) => iterator.next())
      },
      async return() {
        await (await opened)?.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}

/** A queue with one reader. */
export function createQueue<Item>() {
  let items: Item[] = []
  /** Number of items already read. */
  let read = 0
  let ended: { error: unknown } | null = null
  let reader: PromiseWithResolvers<IteratorResult<Item>> | null = null

  function take(): Item {
    const item = items[read++]!
    if (read === items.length) {
      items = []
      read = 0
    }
    return item
  }

  function finish(error: unknown): Promise<IteratorResult<Item>> {
    return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error)
  }

  const iterator: AsyncIterableIterator<Item> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (items.length > 0) return Promise.resolve({ done: false, value: take() })
      if (ended) return finish(ended.error)
      reader = Promise.withResolvers()
      return reader.promise
    },
    return: () => finish(undefined),
  }

  return {
    push(item: Item): void {
      if (reader) reader.resolve({ done: false, value: item })
      else items.push(item)
      reader = null
    },
    /** Ends the queue. With an error, reading throws it after the last item. */
    end(error?: unknown): void {
      ended ??= { error }
      reader?.resolve(finish(ended.error))
      reader = null
    },
    /** Number of unread items. */
    waiting: () => items.length - read,
    /** Returns the iterator. Stopping it does not end the queue. */
    read: () => iterator,
  }
}
