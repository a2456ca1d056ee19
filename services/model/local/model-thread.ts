// Entry of the model thread: the embedding model of this process runs here, for all threads that want vectors, for it takes
// much memory.
import { setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import { toChildEnvironment } from '../../config/child-environment.ts'
import { ownersLog, serveThread } from '../../thread/thread.ts'
import { createEmbedCall } from './embed-call.ts'
import { openKeptModel } from './kept-model.ts'
import type { ModelApi, ModelThreadSettings } from './model-client.ts'
import { localModels } from './models.ts'

// On Linux the priority is the thread's own: readers' requests go before what runs in the background.
if (process.platform === 'linux') setPriority(3)

const { local, folder } = workerData as ModelThreadSettings
const model = openKeptModel({
  models: folder,
  model: localModels.find(({ name }) => name === local)!,
  environment: toChildEnvironment(process.env),
  log: ownersLog,
})

serveThread({ embed: createEmbedCall(model.embedder), close: model.close } satisfies ModelApi)
