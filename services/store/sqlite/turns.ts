// Long work beside other writers: after each short transaction the others get their turn.
import { setTimeout } from 'node:timers/promises'

/**
 * Milliseconds. A writer that finds the file locked looks again after 1, 2, 5, 10, … and at most 100 ms, so that a gap
 * must be long enough to be met: with none, it would give up after its 5 s.
 */
const gap = 5

/** Resolves when other writers have had time to begin. */
export const othersTurn = (): Promise<void> => setTimeout(gap)
