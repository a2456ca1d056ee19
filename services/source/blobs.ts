// What was uploaded for sources goes with them.
import { openHourly } from '../hourly.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'

/** Called when the sources are gone. What a kill leaves is swept later. */
export async function eraseBlobs(
  { blobs }: Pick<Store, 'blobs'>,
  sources: Pick<Source, 'options'>[],
): Promise<void> {
  for (const { options } of sources) if (options.blob !== undefined) await blobs.delete(options.blob)
}

interface BlobSweepDeps {
  store: Pick<Store, 'blobs'>
  /** Whether no other process takes uploads into the store: then what was begun before this one is nobody's any more. */
  isAlone: boolean
  now(): Date
  /** Told of what went wrong; the next round tries again. */
  report(error: unknown): void
}

/** An upload that is under way is younger. */
const maxUploadMs = 24 * 60 * 60_000

/** Sweeps at once and then every hour. */
export function openBlobSweep({ store, isAlone, now, report }: BlobSweepDeps) {
  return openHourly(async ({ isFirst }) => {
    const age = isFirst && isAlone ? 0 : maxUploadMs
    await store.blobs.sweep(new Date(now().getTime() - age).toISOString())
  }, report)
}
