// What the answers of a project depend on beside the question: `lectern eval` keeps its results by it.
import type { ServiceImpl } from '@connectrpc/connect'
import type { ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { projectOf } from '../context.ts'
import type { EmbeddingClient } from '../embedding/embedding-client.ts'
import type { Store } from '../store/store.ts'
import { toSummary } from '../sync/sync-message.ts'

interface AnswerSetupDeps {
  store: Pick<Store, 'pages' | 'runs'>
  /** As in traces: `extractive` without a language model. */
  model: string
  embedding: Pick<EmbeddingClient, 'progress'>
}

export function createAnswerSetupService({
  store,
  model,
  embedding,
}: AnswerSetupDeps): Pick<ServiceImpl<typeof ProjectService>, 'getAnswerSetup'> {
  return {
    async getAnswerSetup(_request, context) {
      const { uuid, config } = projectOf(context)
      const [pageCount, lastSync, progress] = await Promise.all([
        store.pages.count(uuid),
        store.runs.latest(uuid),
        embedding.progress(uuid),
      ])
      return {
        setup: {
          pageCount,
          model,
          promptVersion: config.prompt.version,
          ...(lastSync && { lastSync: toSummary(lastSync) }),
          ...(progress !== null && { embedding: progress }),
        },
      }
    },
  }
}
