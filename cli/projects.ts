// `lectern projects`: lists, adds and removes projects.
import { ListProjectsResponseSchema, ProjectSchema } from '../gen/lectern/v1/project_pb.js'
import { SourceType } from '../gen/lectern/v1/source_pb.js'
import { RunStatus } from '../gen/lectern/v1/sync_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printList } from './print.ts'
import { sync } from './sync.ts'

export async function listProjects(client: CoreClient, options: PrintOptions): Promise<void> {
  await printList(options, {
    head: ['SLUG', 'NAME', 'ACCESS', 'LAST SYNC'],
    schema: ListProjectsResponseSchema,
    read: (page) => client.projects.listProjects(page),
    toRow({ slug, name, isPrivate, lastSync }) {
      const status = lastSync ? RunStatus[lastSync.status].toLowerCase() : 'never'
      return [slug ?? '', name, isPrivate ? 'private' : 'public', status]
    },
  })
}

export async function addProject(
  client: CoreClient,
  name: string,
  url: string,
  options: PrintOptions & { slug?: string; private?: boolean; wait?: boolean },
): Promise<void> {
  const { slug: asked } = options
  const wanted = { name, ...(asked !== undefined && { slug: asked }), isPrivate: options.private ?? false }
  const { project } = await client.projects.createProject({ project: wanted })
  if (!project?.slug) return
  const { slug } = project
  await client.sources.createSource({ slug, source: { type: SourceType.SITE, url } })
  if (options.json) printJson(ProjectSchema, project)
  else printLine(`Created project ${slug}.`)
  await sync(client, slug, options)
}

export async function removeProject(client: CoreClient, slug: string): Promise<void> {
  await client.projects.deleteProject({ slug })
  printLine(`Removed project ${slug}.`)
}
