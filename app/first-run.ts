// The first run as a person meets it: a project of the address that was given, or of the manual, and its crawl on a line.
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { describeFailedSources } from '../cli/failed-sources.ts'
import { withoutControls } from '../cli/print.ts'
import { followEmbedding, followSync, type ProgressOutput } from '../cli/progress.ts'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SourceService, SourceType } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { slugOf } from '../services/project/slug.ts'

export interface FirstProject {
  slug: string
  url: string
  /** Name if the project is new. */
  name: string
}

/**
 * The project for `npm start -- https://docs.example.org/guide/`. Its name is the host of the site until a run has read the title.
 */
export function projectOfAddress(address: string): FirstProject {
  const { host, pathname, href } = new URL(address)
  return { slug: slugOf(`${host}${pathname}`), url: href, name: host }
}

/** Creates the project if it is missing, crawls it, and draws the progress until its sections are embedded. */
export async function crawlFirstProject(
  transport: Transport,
  adminKey: string,
  project: FirstProject,
  output: ProgressOutput,
): Promise<void> {
  const { slug } = project
  const options = { headers: { authorization: `Api-Key ${adminKey}` } }
  const syncs = createClient(SyncService, transport)
  await makeProject(transport, project, options)
  const { run } = await syncs.startSync({ slug }, options)
  if (!run) return
  const ended = await followSync(syncs.watchSync({ slug, syncUuid: run.uuid }, options), output)
  if (ended?.sourcesFailed) {
    const lines = await describeFailedSources(createClient(SourceService, transport), slug, options)
    output.write(`${withoutControls(lines)}\n`)
  }
  await followEmbedding(async () => (await syncs.getLatestSync({ slug }, options)).run?.embedding, output)
}

async function makeProject(
  transport: Transport,
  { name, slug, url }: FirstProject,
  options: { headers: Record<string, string> },
) {
  const projects = createClient(ProjectService, transport)
  const isThere = await projects.getProject({ slug }, options).then(() => true, ifNotFound)
  if (!isThere) await unlessThere(projects.createProject({ project: { name, slug } }, options))
  const source = { type: SourceType.SITE, url }
  await unlessThere(createClient(SourceService, transport).createSource({ slug, source }, options))
}

function ifNotFound(error: unknown): false {
  if (ConnectError.from(error).code === Code.NotFound) return false
  throw error
}

async function unlessThere(creation: Promise<unknown>) {
  try {
    await creation
  } catch (error) {
    if (ConnectError.from(error).code !== Code.AlreadyExists) throw error
  }
}
