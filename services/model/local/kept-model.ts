// A local model from the start on: its files are found or fetched, and as soon as they are there it embeds. Nobody waits for
// it; what goes wrong is told in one line, again only where it is another thing, and tried again, ever later.
import { doubling, type RetryOptions, retry } from '../../retry.ts'
import { type FetchOptions, fetchModelFiles, findModelFiles, toFolder } from './fetch-model.ts'
import type { LocalEmbedder } from './local-embedder.ts'
import type { LocalModel } from './models.ts'

/** Milliseconds. */
const firstPause = 60_000
const maxPause = 3_600_000

interface KeptModelOptions extends Omit<FetchOptions, 'signal'>, Pick<RetryOptions, 'pause'> {
  /** The folder of all models. */
  models: string
  model: LocalModel
}

export interface KeptModel {
  /** Null while it is not ready. */
  embedder(): LocalEmbedder | null
  close(): Promise<void>
}

/** Begins at once, and does not wait. */
export function openKeptModel(options: KeptModelOptions): KeptModel {
  const { models, model, log } = options
  const closing = new AbortController()
  const { signal } = closing
  let embedder: LocalEmbedder | null = null

  async function open(): Promise<LocalEmbedder> {
    const { missing, wrong } = await findModelFiles(models, model)
    if (missing.length > 0) {
      try {
        await fetchModelFiles(models, model, missing, { ...options, signal })
      } catch (error) {
        throw new Error([...wrong, (error as Error).message].join('; '))
      }
      for (const line of wrong) log.warn(`${line}; it was fetched anew`)
    }
    // The runtime has no binary for some systems: its import is a thing that may fail.
    const { openLocalEmbedder } = await import('./local-embedder.ts')
    return openLocalEmbedder(toFolder(models, model), model)
  }

  let told = ''
  function onFailure(error: unknown) {
    const [reason] = (error as Error).message.split('\n')
    const line = `no embedding model, search goes by words: ${reason}`
    if (line !== told) log.warn(line)
    told = line
  }

  async function keepTrying() {
    embedder = await retry(open, doubling(firstPause, maxPause), { ...options, onFailure, signal })
    log.info(`the embedding model ${model.name} is ready`)
  }

  const work = keepTrying().catch((error) => {
    if (!signal.aborted) throw error
  })
  return {
    embedder: () => embedder,
    async close() {
      closing.abort()
      await work
      await embedder?.close()
    },
  }
}
