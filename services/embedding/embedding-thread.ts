// Entry of the embed thread. It runs the local model for all threads, because the model needs much memory, and embeds sections
// with its own store and index handles.
import { workerData } from 'node:worker_threads'
import { toChildEnvironment } from '../config/variable.ts'
import type { Backends, LocalEmbeddings } from '../config.ts'
import { createEmbedder } from '../create-model.ts'
import { openIndex, openStore } from '../drivers.ts'
import { toBareLanguage } from '../language.ts'
import { createEmbedCall, toEmbedderName } from '../model/local/embed-call.ts'
import { type KeptModel, openKeptModel } from '../model/local/kept-model.ts'
import { type LocalModel, localModels, modelFor } from '../model/local/models.ts'
import { type Embedder, ModelError } from '../model/model.ts'
import { ownersLog, reportFromThread, serveThread } from '../thread/thread.ts'
import { createEmbedding, createEmbeddingLease, createShareLog } from './embedding.ts'
import type { EmbeddingApi, EmbeddingThreadSettings } from './embedding-client.ts'

const { backends, embeddings } = workerData as EmbeddingThreadSettings
let current: KeptModel | null = null
/** Replaces it once its files are loaded. */
let next: KeptModel | null = null
const embed = createEmbedCall(() => current?.embedder() ?? null)
const sections = backends && (await openSections(backends))
if ('local' in embeddings) {
  current = openModel(embeddings, localModels.find(({ name }) => name === embeddings.local)!)
}

serveThread('embed', {
  embed,
  progress: async (project) => sections?.progress(project, next && toEmbedderName(next.model.name)) ?? null,
  async close() {
    await sections?.close()
    await Promise.all([current?.close(), next?.close()])
  },
} satisfies EmbeddingApi)

function openModel({ folder }: LocalEmbeddings, model: LocalModel): KeptModel {
  const environment = toChildEnvironment(process.env)
  return openKeptModel({ models: folder, model, environment, log: ownersLog })
}

/** Embeds sections with the current model, which changes only between two rounds (replaceModel). */
function createSectionEmbedder(first: string): Embedder {
  return {
    get name() {
      return toEmbedderName(current?.model.name ?? first)
    },
    get languages() {
      return current?.model.languages ?? undefined
    },
    async embed(kind, texts, signal) {
      const ready = current?.embedder()
      if (!ready) throw new ModelError('loading')
      return ready.background.embed(kind, texts, signal)
    },
  }
}

/** Switches to the model for all languages once it is loaded. */
function replaceModel(settings: LocalEmbeddings) {
  const other = localModels.find(({ languages }) => languages === null)!
  if (next === null) {
    ownersLog.info(
      `the embedding model ${current?.model.name} does not support the languages of most sections: ${other.name} replaces it once loaded`,
    )
    next = openModel(settings, other)
  }
  if (next.embedder() === null) return
  current?.close().catch(reportFromThread)
  current = next
}

async function openSections(backends: Backends) {
  const store = await openStore(backends, 'work')
  const index = await openIndex(backends)
  const { run, progress } = createEmbedding({
    index,
    vectors: store.vectors,
    embedder:
      'local' in embeddings ? createSectionEmbedder(embeddings.local) : createEmbedder(embeddings, embed)!,
    now: () => new Date(),
    report: reportFromThread,
    tellShare: createShareLog(Date.now, ownersLog.info),
    ...('local' in embeddings &&
      embeddings.isDefault && { tellMostlyForeign: () => replaceModel(embeddings) }),
    tellForeign(project, language) {
      if (next !== null) return
      const other = modelFor(language)
      ownersLog.warn(
        `project ${project} is mostly in "${toBareLanguage(language)}", which the embedding model does not support: search uses words only` +
          (other ? `; LECTERN_EMBEDDINGS_MODEL=${other.name} would serve it` : ''),
      )
    },
    // SQLite has a single process, which needs no lease and does not wait for one after a crash.
    ...(backends.mongodb && { isOurs: createEmbeddingLease(store.limits, Date.now) }),
  })
  const closing = new AbortController()
  const work = run(closing.signal)
  return {
    progress,
    async close() {
      closing.abort()
      await work
      await index.close()
      await store.close()
    },
  }
}
