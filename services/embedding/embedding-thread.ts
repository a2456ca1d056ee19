// Entry of the embed thread: the model of this process runs here, for all threads that want vectors, for it takes much memory;
// and sections are given vectors, with a store and an index handle of their own.
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
interface Used {
  model: LocalModel
  kept: KeptModel
}

let used: Used | null = null
/** What takes its place as soon as it is there. */
let next: Used | null = null
const embed = createEmbedCall(() => used?.kept.embedder() ?? null)
const sections = backends && (await openSections(backends))
if ('local' in embeddings) {
  used = openModel(embeddings, localModels.find(({ name }) => name === embeddings.local)!)
}

serveThread('embed', {
  embed,
  progress: async (project) => sections?.progress(project) ?? null,
  async close() {
    await sections?.close()
    await Promise.all([used?.kept.close(), next?.kept.close()])
  },
} satisfies EmbeddingApi)

function openModel({ folder }: LocalEmbeddings, model: LocalModel): Used {
  const environment = toChildEnvironment(process.env)
  return { model, kept: openKeptModel({ models: folder, model, environment, log: ownersLog }) }
}

/** The model of this process for sections; it changes between two rounds only (replaceModel). */
function createSectionEmbedder(first: string): Embedder {
  return {
    get name() {
      return toEmbedderName(used?.model.name ?? first)
    },
    get languages() {
      return used?.model.languages ?? undefined
    },
    async embed(kind, texts, signal) {
      const ready = used?.kept.embedder()
      if (!ready) throw new ModelError('loading')
      return ready.background.embed(kind, texts, signal)
    },
  }
}

/** Until the other model is there, the first one serves. */
function replaceModel(settings: LocalEmbeddings) {
  const other = localModels.find(({ languages }) => languages === null)!
  if (next === null) {
    ownersLog.info(
      `most sections are in languages that the embedding model ${used?.model.name} does not know: ${other.name} takes its place once it is there`,
    )
    next = openModel(settings, other)
  }
  if (next.kept.embedder() === null) return
  used?.kept.close().catch(reportFromThread)
  used = next
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
        `project ${project} is mostly in "${toBareLanguage(language)}", which the embedding model does not know: it is searched by words` +
          (other ? `; LECTERN_EMBEDDINGS_MODEL=${other.name} would serve it` : ''),
      )
    },
    // A store of this process alone is nobody else's, and a start after a kill need not wait.
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
