// The first run as a person meets it: a project of the address that was given, or of the manual, and its crawl on a line.
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { followEmbedding, followSync, type ProgressOutput } from '../../cli/progress.ts'
import { ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { SourceService, SourceType } from '../../gen/lectern/v1/source_pb.js'
import { SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { slugOf } from '../project/slug.ts'

export interface FirstProject {
  name: string
  slug: string
  url: string
}

/** The project that `npm start -- https://docs.example.org/guide/` stands for: named after its address. */
export function projectOfAddress(address: string): FirstProject {
  const url = new URL(address)
  return { name: url.host, slug: slugOf(`${url.host}${url.pathname}`), url: url.href }
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
  await followSync(syncs.watchSync({ slug, syncUuid: run.uuid }, options), output)
  await followEmbedding(async () => (await syncs.getLatestSync({ slug }, options)).run?.embedding, output)
}

async function makeProject(
  transport: Transport,
  { name, slug, url }: FirstProject,
  options: { headers: Record<string, string> },
) {
  await unlessThere(
    createClient(ProjectService, transport).createProject({ project: { name, slug } }, options),
  )
  const source = { type: SourceType.SITE, url }
  await unlessThere(createClient(SourceService, transport).createSource({ slug, source }, options))
}

async function unlessThere(creation: Promise<unknown>) {
  try {
    await creation
  } catch (error) {
    if (ConnectError.from(error).code !== Code.AlreadyExists) throw error
  }
}
