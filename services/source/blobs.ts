// What was uploaded for sources goes with them.
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'

/** Called when the sources are gone. What a kill leaves is swept later. */
export async function eraseBlobs(
  { blobs }: Pick<Store, 'blobs'>,
  sources: Pick<Source, 'options'>[],
): Promise<void> {
  for (const { options } of sources) if (options.blob !== undefined) await blobs.delete(options.blob)
}

export interface BlobSweepDeps {
  store: Pick<Store, 'blobs'>
  /** Whether no other process takes uploads into the store: then what was begun before this one is nobody's any more. */
  isAlone: boolean
  now(): Date
  /** Told of what went wrong; the next round tries again. */
  report(error: unknown): void
}

const intervalMs = 60 * 60_000
/** An upload that is under way is younger. */
const maxUploadMs = 24 * 60 * 60_000

/** Sweeps at once and then every hour. */
export function openBlobSweep({ store, isAlone, now, report }: BlobSweepDeps) {
  let round = Promise.resolve()
  const begin = (age: number) => {
    const before = new Date(now().getTime() - age).toISOString()
    round = round.then(() => store.blobs.sweep(before)).catch(report)
  }
  begin(isAlone ? 0 : maxUploadMs)
  const timer = setInterval(() => begin(maxUploadMs), intervalMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await round
    },
  }
}
