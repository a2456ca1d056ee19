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
  /** By project, whose its window is; asked for again when it is over. */
  const windows = new Map<string, { isOurs: boolean; endsAt: number }>()

  return async (project) => {
    const known = windows.get(project)
    if (known !== undefined && known.endsAt > now()) return known.isOurs
    const { count, endsAt } = await limits.hit(`embedding:${project}`, windowMs, now())
    windows.set(project, { isOurs: count === 1, endsAt })
    return count === 1
  }
}
