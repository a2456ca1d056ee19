// Of several processes on one store, one at a time embeds a project: a vector costs time and often money.
import type { LimitStore } from '../store/chat.ts'

/** How long a process has a project for itself; when it dies, another takes the project up so much later. */
const windowMs = 20_000

/**
 * Answers whether this process is to embed the project now. Whoever counts first in a window has it to the window's end.
 * A batch that takes longer may be embedded twice, which does no harm.
 */
export function createEmbeddingTurns(
  limits: Pick<LimitStore, 'hit'>,
  now: () => number,
): (project: string) => Promise<boolean> {
  /** When our windows end, by project. */
  const ours = new Map<string, number>()

  return async (project) => {
    if ((ours.get(project) ?? 0) > now()) return true
    const { count, endsAt } = await limits.hit(`embedding:${project}`, windowMs, now())
    if (count === 1) ours.set(project, endsAt)
    return count === 1
  }
}
