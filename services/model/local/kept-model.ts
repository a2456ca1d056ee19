// Opens a local model in the background: its files are found or fetched, and it embeds as soon as they are there. A failure is
// logged in one line, once until it changes, and tried again with growing pauses.
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

/** Starts opening the model and returns at once. */
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
    // The import fails on systems for which the runtime has no binary.
    const { openLocalEmbedder } = await import('./local-embedder.ts')
    return openLocalEmbedder(toFolder(models, model), model)
  }

  let lastLine = ''
  function onFailure(error: unknown) {
    const [reason] = (error as Error).message.split('\n')
    const line = `no embedding model, search goes by words: ${reason}`
    if (line !== lastLine) log.warn(line)
    lastLine = line
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
