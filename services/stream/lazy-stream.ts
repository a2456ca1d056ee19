// A stream that is there only after something else was done. A plain iterator, as in map-stream.ts: once open, it costs nothing.

/** `open` is called when the first item is asked for; what it throws is what reading throws. For one reader. */
export function lazyStream<Item>(open: () => Promise<AsyncIterable<Item>>): AsyncIterable<Item> {
  let opened: AsyncIterator<Item> | null = null
  let begun: Promise<AsyncIterator<Item>> | null = null

  async function begin(): Promise<AsyncIterator<Item>> {
    opened = (await open())[Symbol.asyncIterator]()
    return opened
  }

  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (opened) return opened.next()
        begun ??= begin()
        return begun.then((iterator) => iterator.next())
      },
      async return() {
        await (await begun)?.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
