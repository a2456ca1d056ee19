// A limit on pages, shared by visits that are under way at the same time.

export type Grant = 'granted' | 'wait' | 'exhausted'

export interface Quota {
  /** `wait`: nothing left now, but a visit under way may give its page back. */
  take(): Grant
  /** The visit ended and its page stays. */
  keep(): void
  /** The visit ended without a page to keep. */
  giveBack(): void
}

/** `left`: pages that may still be kept; null for no limit. */
export function createQuota(left: number | null): Quota {
  if (left === null) return { take: () => 'granted', keep() {}, giveBack() {} }
  let free = Math.max(0, left)
  let reserved = 0
  return {
    take() {
      if (free === 0) return reserved > 0 ? 'wait' : 'exhausted'
      free -= 1
      reserved += 1
      return 'granted'
    },
    keep() {
      reserved -= 1
    },
    giveBack() {
      reserved -= 1
      free += 1
    },
  }
}
