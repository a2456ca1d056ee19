// Streams for one reader, who asks for one item at a time. They are plain iterators, because every token of every answer
// passes several of them: an async generator costs several times as much an item.

interface Layer<From, To> {
  map?(item: From): To
  /** The error to throw in place of one that reading threw. */
  mapError?(error: unknown): unknown
  /** Called once, when the last item was read, when reading failed (after `mapError`), or when the reader stopped. */
  onEnd?(): void
}

/** Items of a stream on their way through a layer. */
export function mapStream<From, To = From>(
  items: AsyncIterable<From>,
  { map, mapError, onEnd }: Layer<From, To>,
): AsyncIterable<To> {
  function fail(error: unknown): never {
    const seen = mapError ? mapError(error) : error
    onEnd?.()
    throw seen
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

/** A stream that `open` opens when the first item is asked for; what `open` throws is what reading throws. */
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

/** Items on their way from those who push to one reader. */
export function createQueue<Item>() {
  let items: Item[] = []
  /** How many of `items` have been read. */
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
    /** No more comes; with an error, reading ends by throwing it once the items before it are read. */
    end(error?: unknown): void {
      ended ??= { error }
      reader?.resolve(finish(ended.error))
      reader = null
    },
    /** How many items wait to be read. */
    waiting: () => items.length - read,
    /** Stopping ends nothing: those who push go on. */
    read: () => iterator,
  }
}
