// Items on their way from those who push to one reader, each handed over in one step: tokens of answers pass here.

interface Queue<Item> {
  push(item: Item): void
  /** No more comes; with an error, reading ends by throwing it once the items before it are read. */
  end(error?: unknown): void
  /** How many items wait to be read. */
  waiting(): number
  /** For one reader, who asks for one item at a time. Stopping ends nothing: those who push go on. */
  read(): AsyncIterableIterator<Item>
}

export function createQueue<Item>(): Queue<Item> {
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
    push(item) {
      if (reader) reader.resolve({ done: false, value: item })
      else items.push(item)
      reader = null
    },
    end(error) {
      ended ??= { error }
      reader?.resolve(finish(ended.error))
      reader = null
    },
    waiting: () => items.length - read,
    read: () => iterator,
  }
}
