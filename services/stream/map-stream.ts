// Items of a stream on their way through layers. A plain iterator, and one for all layers that lie on each other: a
// generator a layer costs several times as much an item, and every token of every answer passes here.

export interface Layer<From, To> {
  change?(item: From): To
  /** The error to throw in place of one that reading threw. */
  seen?(error: unknown): unknown
  /** Called once, when the last item was read, reading failed, or the reader stopped. */
  end?(): void
}

/** A stream's source and what its items pass, innermost first. */
interface Way {
  source: AsyncIterable<unknown>
  layers: Layer<unknown, unknown>[]
}

const ways = new WeakMap<object, Way>()

/** For one reader, who asks for one item at a time. */
export function mapStream<From, To>(items: AsyncIterable<From>, layer: Layer<From, To>): AsyncIterable<To> {
  const { source, layers } = ways.get(items) ?? { source: items, layers: [] }
  const way: Way = { source, layers: [...layers, layer as Layer<unknown, unknown>] }
  const passed = { [Symbol.asyncIterator]: () => iterate(way) as AsyncIterator<To> }
  ways.set(passed, way)
  return passed
}

function iterate({ source, layers }: Way): AsyncIterator<unknown> {
  const iterator = source[Symbol.asyncIterator]()

  function pass({ done, value }: IteratorResult<unknown>): IteratorResult<unknown> {
    if (done) {
      for (const layer of layers) layer.end?.()
      return { done, value }
    }
    let changed = value
    try {
      for (const { change } of layers) if (change) changed = change(changed)
    } catch (error) {
      return fail(error)
    }
    return { done: false, value: changed }
  }

  function fail(error: unknown): never {
    let shown = error
    for (const layer of layers) {
      layer.end?.()
      if (layer.seen) shown = layer.seen(shown)
    }
    throw shown
  }

  return {
    next: () => iterator.next().then(pass, fail),
    async return() {
      for (const layer of layers) layer.end?.()
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}
