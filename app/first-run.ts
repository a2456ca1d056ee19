// The first run as a person meets it: a project of the address that was given, or of the manual, and its crawl on a line.
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { describeFailedSources } from '../cli/failed-sources.ts'
import { withoutControls } from '../cli/print.ts'
import { followEmbedding, followSync, type ProgressOutput } from '../cli/progress.ts'
import { cutText } from '../crawler/extract/limits.ts'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SourceService, SourceType } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { slugOf } from '../services/project/slug.ts'

/** Characters of a project's name. */
const maxName = 200

export interface FirstProject {
  slug: string
  url: string
  /** Asked for where the project is new. */
  name(): Promise<string>
}

/**
 * The project that `npm start -- https://docs.example.org/guide/` stands for, with the site's title for a name, or its host
 * where that cannot be read.
 */
export function projectOfAddress(
  address: string,
  readTitle: (url: string) => Promise<string | null>,
): FirstProject {
  const url = new URL(address)
  return {
    slug: slugOf(`${url.host}${url.pathname}`),
    url: url.href,
    name: async () => cutText((await readTitle(url.href)) ?? url.host, maxName),
  }
}

/** Makes the project where it is missing, crawls it, and draws the progress until its sections are embedded. */
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
  if (!isThere) await unlessThere(projects.createProject({ project: { name: await name(), slug } }, options))
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
