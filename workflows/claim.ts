// Claiming a run or a recrawl, for the first time or after its worker is gone. One that ends its process or thread each
// time would be resumed for ever, and hold up everybody: after three deaths at the same place it is given up.
import type { Recrawl } from '../services/store/recrawl.ts'
import type { Run } from '../services/store/run.ts'
import type { Store } from '../services/store/store.ts'
import { runEvent } from './events.ts'

/** Deaths without anything done in between. */
const maxDeaths = 3

const givenUp = `The run was interrupted ${maxDeaths} times at the same place, and was given up.`

/** Deaths of the run where it stands; null where it was given up, or has ended. */
export function claimRun(store: Store, { uuid }: Pick<Run, 'uuid'>, at: string): Promise<number | null> {
  return unlessTooMany(store.runs.claim(uuid), async () => {
    if (await store.runs.finish(uuid, { status: 'failed', at, error: givenUp })) {
      await store.runs.appendLast(uuid, runEvent('run_finished', at, givenUp, { level: 'error' }))
    }
  })
}

/** As claimRun. */
export function claimRecrawl(
  store: Store,
  { uuid }: Pick<Recrawl, 'uuid'>,
  at: string,
): Promise<number | null> {
  return unlessTooMany(store.recrawls.claim(uuid), async () => {
    await store.recrawls.settle(uuid, { status: 'dropped', reason: 'unfetchable', finishedAt: at })
  })
}

/** `claims`: how often it was claimed at the same place, this time included; 0 where it has ended. */
async function unlessTooMany(claims: Promise<number>, giveUp: () => Promise<void>): Promise<number | null> {
  const deaths = (await claims) - 1
  if (deaths < 0) return null
  if (deaths < maxDeaths) return deaths
  await giveUp()
  return null
}
