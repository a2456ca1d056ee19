// Items of a stream on their way through layers. A plain iterator, and one for all layers that lie on each other: a
// generator a layer costs several times as much an item, and every token of every answer passes here.

export interface Layer<From, To> {
  map?(item: From): To
  /** The error to throw in place of one that reading threw. */
  mapError?(error: unknown): unknown
  /** Called once, when the last item was read, when reading failed (after `mapError`), or when the reader stopped. */
  onEnd?(): void
}

/** A stream's source and what its items pass, innermost first. */
interface Pipeline {
  source: AsyncIterable<unknown>
  layers: Layer<unknown, unknown>[]
}

const pipelines = new WeakMap<object, Pipeline>()

/** For one reader, who asks for one item at a time. */
export function mapStream<From, To>(items: AsyncIterable<From>, layer: Layer<From, To>): AsyncIterable<To> {
  const { source, layers } = pipelines.get(items) ?? { source: items, layers: [] }
  const pipeline: Pipeline = { source, layers: [...layers, layer as Layer<unknown, unknown>] }
  const passed = { [Symbol.asyncIterator]: () => iterate(pipeline) as AsyncIterator<To> }
  pipelines.set(passed, pipeline)
  return passed
}

function iterate({ source, layers }: Pipeline): AsyncIterator<unknown> {
  const iterator = source[Symbol.asyncIterator]()

  function pass({ done, value }: IteratorResult<unknown>): IteratorResult<unknown> {
    if (done) {
      for (const layer of layers) layer.onEnd?.()
      return { done, value }
    }
    let changed = value
    try {
      for (const { map } of layers) if (map) changed = map(changed)
    } catch (error) {
      return fail(error)
    }
    return { done: false, value: changed }
  }

  function fail(error: unknown): never {
    let shown = error
    for (const layer of layers) {
      if (layer.mapError) shown = layer.mapError(shown)
      layer.onEnd?.()
    }
    throw shown
  }

  return {
    next: () => iterator.next().then(pass, fail),
    async return() {
      for (const layer of layers) layer.onEnd?.()
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}
