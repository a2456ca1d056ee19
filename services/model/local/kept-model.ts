// A local model from the start on: its files are found or fetched, and as soon as they are there it embeds. Nobody waits for
// it; what goes wrong is told in one line, again only where it is another thing, and tried again, ever later.
import { setTimeout as delay } from 'node:timers/promises'
import type { Embedder } from '../model.ts'
import type { LocalEmbedder } from './local-embedder.ts'
import { type FetchOptions, fetchModelFiles, findModelFiles, folderOf } from './model-files.ts'
import type { LocalModel } from './models.ts'

/** Milliseconds. */
const firstPause = 60_000
const maxPause = 3_600_000

export interface KeptModelOptions extends Omit<FetchOptions, 'signal'> {
  /** The folder of all models. */
  models: string
  model: LocalModel
  pause?(milliseconds: number, signal: AbortSignal): Promise<unknown>
}

export interface KeptModel {
  /** Null while it is not ready. */
  embedder(): Embedder | null
  close(): Promise<void>
}

/** Begins at once, and does not wait. */
export function openKeptModel(options: KeptModelOptions): KeptModel {
  const { models, model, log, pause = rest } = options
  const closing = new AbortController()
  let embedder: LocalEmbedder | null = null

  async function open(): Promise<LocalEmbedder> {
    const { missing, wrong } = await findModelFiles(models, model)
    if (missing.length > 0) {
      try {
        await fetchModelFiles(models, model, missing, { ...options, signal: closing.signal })
      } catch (error) {
        throw new Error([...wrong, (error as Error).message].join('; '))
      }
      for (const line of wrong) log.warn(`${line}; it was fetched anew`)
    }
    // The runtime has no binary for some systems: its import is a thing that may fail.
    const { openLocalEmbedder } = await import('./local-embedder.ts')
    return openLocalEmbedder(folderOf(models, model), model)
  }

  async function keepTrying() {
    let told = ''
    for (let tries = 0; !closing.signal.aborted; tries++) {
      try {
        embedder = await open()
        log.info(`the embedding model ${model.name} is ready`)
        return
      } catch (error) {
        if (closing.signal.aborted) return
        const [reason] = (error as Error).message.split('\n')
        const line = `no embedding model, search goes by words: ${reason}`
        if (line !== told) log.warn(line)
        told = line
      }
      await pause(Math.min(maxPause, firstPause * 2 ** tries), closing.signal).catch(() => {})
    }
  }

  const work = keepTrying()
  return {
    embedder: () => embedder,
    async close() {
      closing.abort()
      await work
      await embedder?.close()
    },
  }
}

const rest = (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal })
