// Entry of the embed thread: the model of this process runs here, for all threads that want vectors, for it takes much memory;
// and sections are given vectors, with a store and an index handle of their own.
import { workerData } from 'node:worker_threads'
import { toChildEnvironment } from '../config/variable.ts'
import type { Backends, LocalEmbeddings } from '../config.ts'
import { createEmbedder } from '../create-model.ts'
import { openIndex, openStore } from '../drivers.ts'
import { toBareLanguage } from '../language.ts'
import { createEmbedCall, type EmbedCall } from '../model/local/embed-call.ts'
import { type KeptModel, openKeptModel } from '../model/local/kept-model.ts'
import { localModels, modelFor } from '../model/local/models.ts'
import { ownersLog, reportFromThread, serveThread } from '../thread/thread.ts'
import { createEmbedding, createEmbeddingLease, createShareLog } from './embedding.ts'
import type { EmbeddingApi, EmbeddingThreadSettings } from './embedding-client.ts'

const { backends, embeddings } = workerData as EmbeddingThreadSettings
let model: KeptModel | null = null
const embed = createEmbedCall(() => model?.embedder() ?? null)
const embedSections = createEmbedCall(() => model?.embedder()?.background ?? null)
const sections = backends && (await openSections(backends, embedSections))
if ('local' in embeddings) model = openModel(embeddings)

serveThread('embed', {
  embed,
  progress: async (project) => sections?.progress(project) ?? null,
  async close() {
    await sections?.close()
    await model?.close()
  },
} satisfies EmbeddingApi)

function openModel({ local, folder }: LocalEmbeddings) {
  return openKeptModel({
    models: folder,
    model: localModels.find(({ name }) => name === local)!,
    environment: toChildEnvironment(process.env),
    log: ownersLog,
  })
}

async function openSections(backends: Backends, embed: EmbedCall) {
  const store = await openStore(backends, 'work')
  const index = await openIndex(backends)
  const { run, progress } = createEmbedding({
    index,
    vectors: store.vectors,
    embedder: createEmbedder(embeddings, embed)!,
    now: () => new Date(),
    report: reportFromThread,
    tellShare: createShareLog(Date.now, ownersLog.info),
    tellForeign(project, language) {
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
