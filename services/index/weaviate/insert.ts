// Writing objects in batches. Weaviate takes a batch in part: it says which objects it did not take, and only those are
// written again. An object's id is always the same, so that what was written twice is there once.
import { setTimeout as after } from 'node:timers/promises'
import { DomainError } from '../../errors.ts'
import { type Connection, wrongDimension } from './connection.ts'

export interface NewObject {
  id: string
  properties: Record<string, string>
  vector?: Float32Array
}

const writtenAtOnce = 200
/** Milliseconds before each further try of the objects that were not taken. */
const pauses = [100, 500, 2_000]

/** Rejects with DomainError(unavailable) when some objects are not taken however often they are written. */
export async function insertAll(
  connection: Connection,
  collection: string,
  tenant: string,
  objects: NewObject[],
): Promise<void> {
  for (let at = 0; at < objects.length; at += writtenAtOnce) {
    await insertBatch(connection, collection, tenant, objects.slice(at, at + writtenAtOnce))
  }
}

async function insertBatch(connection: Connection, collection: string, tenant: string, batch: NewObject[]) {
  let left = batch
  for (let tried = 0; ; tried++) {
    const written = left.map(({ id, properties, vector }) => ({
      id,
      properties,
      ...(vector && { vectors: [...vector] }),
    }))
    const { errors } = await connection.use((client) =>
      client.collections.use(collection).withTenant(tenant).data.insertMany(written),
    )
    const failed = Object.entries(errors)
    if (failed.length === 0) return
    const why = failed.map(([, { message }]) => message)
    if (why.some((message) => /vectors? (?:lengths|with length)/.test(message))) throw wrongDimension(why[0])
    const pause = pauses[tried]
    if (pause === undefined) {
      const sentence = `The search index did not take ${failed.length} of ${batch.length} sections.`
      throw new DomainError('unavailable', sentence, null, new Error([...new Set(why)].join('; ')))
    }
    left = failed.map(([place]) => left[Number(place)]!)
    await after(pause)
  }
}
