// Of several processes on one store, one at a time embeds a project: a vector costs time and often money.
import type { LimitStore } from '../store/limit.ts'

/** Milliseconds; when a process dies, another takes over its project after that time at the latest. */
const leaseMs = 20_000

/**
 * Answers whether this process is to embed the project now: the first one to count in a window holds the lease until the window
 * ends. A batch that takes longer may be embedded twice, which does no harm.
 */
export function createEmbeddingLease(
  limits: Pick<LimitStore, 'hit'>,
  now: () => number,
): (project: string) => Promise<boolean> {
  /** By project; asked for again when it has ended. */
  const leases = new Map<string, { isOurs: boolean; endsAt: number }>()

  return async (project) => {
    const known = leases.get(project)
    if (known !== undefined && known.endsAt > now()) return known.isOurs
    const { count, endsAt } = await limits.hit(`embedding:${project}`, leaseMs, now())
    leases.set(project, { isOurs: count === 1, endsAt })
    return count === 1
  }
}
