// What takes memory while it is open, and is wanted now and then: opened by its first user, closed when it has had none for a
// while, and opened again by the next.

export interface OnDemand<Resource> {
  /** Rejects with what `open` rejects with; the next user tries again. */
  use<Result>(work: (resource: Resource) => Promise<Result>): Promise<Result>
  /** For good: closes what is open, whoever uses it. */
  close(): Promise<void>
}

export interface OnDemandOptions<Resource> {
  open(): Promise<Resource>
  close(resource: Resource): Promise<void>
  /** Milliseconds without a user after which it is closed. */
  idleTimeout: number
  /** Told why it could not be closed when it was idle. */
  report(error: unknown): void
}

export function createOnDemand<Resource>(options: OnDemandOptions<Resource>): OnDemand<Resource> {
  const { idleTimeout, report } = options
  let resource: Promise<Resource> | null = null
  /** The one before is closed first: both may hold the same file. */
  let closed = Promise.resolve()
  let users = 0
  let timer: NodeJS.Timeout | undefined
  let isOver = false

  function open(): Promise<Resource> {
    if (isOver) throw new Error('it was closed for good')
    const opened = closed.then(() => options.open())
    resource = opened
    opened.catch(() => {
      if (resource === opened) resource = null
    })
    return opened
  }

  async function close() {
    clearTimeout(timer)
    const last = resource
    resource = null
    await last?.then(options.close, () => {})
  }

  return {
    async use(work) {
      clearTimeout(timer)
      users += 1
      try {
        return await work(await (resource ?? open()))
      } finally {
        users -= 1
        if (users === 0) {
          timer = setTimeout(() => {
            closed = close().catch(report)
          }, idleTimeout)
          timer.unref()
        }
      }
    },
    close() {
      isOver = true
      return close()
    },
  }
}
