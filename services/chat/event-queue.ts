// A turn's events on their way to its reader. The turn goes on whether or not anyone reads: it must be stored.

export interface EventQueue<Event> {
  push(event: Event): void
  /** No more comes; with an error, reading ends by throwing it. */
  end(error?: unknown): void
  /** For one reader. */
  read(): AsyncIterable<Event>
}

export function createEventQueue<Event>(): EventQueue<Event> {
  const waiting: Event[] = []
  let ended: { error: unknown } | null = null
  let wake = Promise.withResolvers<void>()

  return {
    push(event) {
      waiting.push(event)
      wake.resolve()
    },
    end(error) {
      ended ??= { error }
      wake.resolve()
    },
    async *read() {
      for (;;) {
        yield* waiting.splice(0)
        if (waiting.length > 0) continue
        if (ended) break
        await wake.promise
        wake = Promise.withResolvers()
      }
      if (ended.error !== undefined) throw ended.error
    },
  }
}
