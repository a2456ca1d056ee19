import type { RecrawlService } from '../../gen/lectern/v1/recrawl_pb.js'
import { isWeb, sourceTable } from '../../sources/source-table.ts'
import type { SourceTypeName } from '../../sources/source-type.ts'
import { projectOf } from '../context.ts'
import { DomainError, rateLimited } from '../errors.ts'
import { readPageAddress } from '../page-address.ts'
import type { Handlers } from '../routes.ts'
import type { Project } from '../store/project.ts'
import type { Recrawl } from '../store/recrawl.ts'
import type { RunDeps } from '../sync/start-run.ts'

const webTypes = (Object.keys(sourceTable) as SourceTypeName[]).filter(isWeb)

/** Limits per project: live recrawls, and ended recrawls that are stored. */
const limits = { maxLive: 1_000, maxEnded: 5_000 }

export function createRecrawlService(deps: RunDeps): Handlers<typeof RecrawlService> {
  const { store } = deps

  return {
    async startRecrawl({ url: given }, context) {
      const project = projectOf(context)
      const url = readPageAddress(given)
      if (project.indexedAt === null) {
        throw new DomainError('never_indexed', 'The project has never been indexed: run a sync first.')
      }
      if (!(await isCrawledHost(project, new URL(url)))) {
        const problem = `its host is neither an allowed domain nor the host of a source of type ${webTypes.join(', ')}`
        throw new DomainError('host_not_allowed', `url: ${problem}.`, { url: [problem] })
      }
      const recrawl: Recrawl = {
        uuid: deps.newUuid(),
        project: project.uuid,
        url,
        status: 'queued',
        reason: null,
        detail: null,
        message: null,
        createdAt: deps.now().toISOString(),
        finishedAt: null,
      }
      await deps.runs.ping()
      const queued = await store.recrawls.enqueue(recrawl, limits)
      if (queued === null)
        throw rateLimited(
          `The project has ${limits.maxLive} recrawls that have not ended, which is the limit.`,
          60,
        )
      if (queued.uuid === recrawl.uuid) await deps.runs.startRecrawl(queued)
      return { uuid: queued.uuid, url, status: 'queued' }
    },

    async getRecrawl({ recrawlUuid }, context) {
      const recrawl = await store.recrawls.get(projectOf(context).uuid, recrawlUuid)
      if (recrawl === null) throw new DomainError('not_found', 'The project has no such recrawl.')
      return { recrawl }
    },
  }

  /** Whether the host and port are those of a web source, or the host is an allowed domain without wildcard on the default port. */
  async function isCrawledHost(project: Project, url: URL): Promise<boolean> {
    if (url.port === '' && project.allowedDomains.includes(url.hostname)) return true
    const sources = await store.sources.all(project.uuid)
    return sources.some((source) => isWeb(source.type) && new URL(source.url).host === url.host)
  }
}
