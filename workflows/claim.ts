// Claiming a run or a recrawl, for the first time or after its worker is gone. One that ends its process or thread each
// time would be resumed for ever, and hold up everybody: after three deaths at the same place it is given up.
import type { Recrawl } from '../services/store/recrawl.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { runEvent } from './events.ts'
import { dropRecrawl } from './run-endings.ts'
import type { Suspect } from './suspects.ts'

/** Deaths without anything done in between. */
const maxDeaths = 3

const givenUp = `The run was interrupted ${maxDeaths} times at the same place, and was given up.`

/** How work is claimed. */
export interface Claim {
  /** Deaths of the work where it stands; null where it was given up, or has ended. */
  take(): Promise<number | null>
  /** The work was stopped in good order, or may not be to blame: no death counts from here on. It may fail. */
  release(): Promise<void>
}

export function claimOfRun(store: Store, { uuid }: Pick<Run, 'uuid'>, now: () => Date): Claim {
  return {
    take: () =>
      takeUnlessGivenUp(store.runs.claim(uuid), async () => {
        const at = now().toISOString()
        if (await store.runs.finish(uuid, { status: 'failed', at, error: givenUp })) {
          await store.runs.appendLast(uuid, runEvent('run_finished', at, givenUp, { level: 'error' }))
        }
      }),
    release: () => store.runs.release(uuid).catch(() => {}),
  }
}

export function claimOfRecrawl(store: Store, { uuid }: Pick<Recrawl, 'uuid'>, now: () => Date): Claim {
  return {
    take: () => takeUnlessGivenUp(store.recrawls.claim(uuid), () => dropRecrawl(store, uuid, now())),
    release: () => store.recrawls.release(uuid).catch(() => {}),
  }
}

/** `claims`: how often it was claimed at the same place, this time included; 0 where it has ended. */
async function takeUnlessGivenUp(
  claims: Promise<number>,
  giveUp: () => Promise<void>,
): Promise<number | null> {
  const deaths = (await claims) - 1
  if (deaths < 0) return null
  if (deaths < maxDeaths) return deaths
  await giveUp()
  return null
}

/**
 * Does `work` under a claim: if its thread or process dies meanwhile, that counts, and no other end does. Null where the work was
 * given up, or has ended.
 */
export async function whileClaimed<Result>(
  { take, release }: Claim,
  suspect: Suspect,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const deaths = await take()
  if (deaths === null) return null
  if (deaths === 0) suspect.clear()
  try {
    return await work()
  } finally {
    await release()
  }
}
