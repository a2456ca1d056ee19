// Opens a local model in the background, once its files are available. A failure is logged as one line, again only if the line
// changes, and retried with exponential backoff.
import { join } from 'node:path'
import { doubling, type RetryOptions, retry } from '../../retry.ts'
import { type FetchOptions, provideModelFiles } from './fetch-model.ts'
import type { LocalEmbedder } from './local-embedder.ts'
import type { LocalModel } from './models.ts'

/** Milliseconds. */
const firstPause = 60_000
const maxPause = 3_600_000

interface KeptModelOptions extends Omit<FetchOptions, 'signal'>, Pick<RetryOptions, 'pause'> {
  /** Folder of all models. */
  models: string
  model: LocalModel
}

export type KeptModel = ReturnType<typeof openKeptModel>

/** Starts to open the model. Does not wait. */
export function openKeptModel(options: KeptModelOptions) {
  const { models, model, log } = options
  const folder = join(models, model.name)
  const closing = new AbortController()
  const { signal } = closing
  let embedder: LocalEmbedder | null = null

  async function open(): Promise<LocalEmbedder> {
    await provideModelFiles(folder, model, { ...options, signal })
    // The import fails on systems for which the runtime has no binary.
    const { openLocalEmbedder } = await import('./local-embedder.ts')
    return openLocalEmbedder(folder, model)
  }

  let lastLine = ''
  function onFailure(error: unknown) {
    const [reason] = (error as Error).message.split('\n')
    const line = `no embedding model, search uses words only: ${reason}`
    if (line !== lastLine) log.warn(line)
    lastLine = line
  }

  const work = retry(open, doubling(firstPause, maxPause), { ...options, onFailure, signal })
    .then((opened) => {
      embedder = opened
      log.info(`the embedding model ${model.name} is ready`)
    })
    .catch((error) => {
      if (!signal.aborted) throw error
    })
  return {
    model,
    /** Null until the model is ready. */
    embedder: () => embedder,
    async close() {
      closing.abort()
      await work
      await embedder?.close()
    },
  }
}
