// `lectern status` and `lectern projects`: the state of all projects; listing, adding, changing and removing them.
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { InvalidArgumentError, Option } from 'commander'
import { readMessage } from '../gateway/json/read.ts'
import { ListProjectsResponseSchema, type Project, ProjectSchema } from '../gen/lectern/v1/project_pb.js'
import { SourceType } from '../gen/lectern/v1/source_pb.js'
import { type ProjectStatus, StatusSchema } from '../gen/lectern/v1/status_pb.js'
import { RunStatus } from '../gen/lectern/v1/sync_pb.js'
import { readDays, readSwitch } from './arguments.ts'
import type { CoreClient } from './client.ts'
import { describeFields, type PrintOptions, printJson, printLine, printList, printTable } from './print.ts'
import { sync } from './runs.ts'

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

interface Setting {
  flags: string
  description: string
  /** Path of the field in the project's JSON. */
  path: string
  read?(text: string): string | number | boolean
  /** The value of `none`. */
  none?: null | []
}

// biome-ignore format: a table
const settings: Setting[] = [
  { flags: '--name <name>', description: 'name for people', path: 'name' },
  { flags: '--private <on|off>', description: 'whether readers need a key', path: 'is_private', read: readSwitch },
  { flags: '--allowed-domains <domain...>', description: 'hosts whose pages may chat without a key; none: any host', path: 'allowed_domains', none: [] },
  { flags: '--schedule <cron>', description: 'schedule of syncs: a cron line of five fields in UTC, or none', path: 'config.sync.schedule', none: null },
  { flags: '--mcp <on|off>', description: 'whether MCP clients are served', path: 'config.mcp.enabled', read: readSwitch },
  { flags: '--mcp-name <name>', description: 'name given to MCP clients, or none', path: 'config.mcp.server_name', none: null },
  { flags: '--retention-days <days>', description: 'days after which chats are erased, or none', path: 'config.retention_days', read: readDays, none: null },
  { flags: '--greeting <text>', description: 'what the assistant says first, or none', path: 'config.chat.initial_message', none: null },
  { flags: '--questions <question...>', description: 'questions suggested to readers; none: no questions', path: 'config.chat.suggested_questions', none: [] },
  { flags: '--think <on|off>', description: 'whether answers reason by default', path: 'config.chat.think_mode', read: readSwitch },
  { flags: '--prompt <text>', description: 'instructions added to the prompt, or none', path: 'config.prompt.extend', none: null },
  { flags: '--whitelabel <on|off>', description: 'whether pages for readers hide the mark of Lectern', path: 'whitelabel', read: readSwitch },
]

export const settingOptions = settings.map(({ flags, description, read }) => {
  const option = new Option(flags, description)
  return read ? option.argParser(read) : option
})

export async function setProject(
  client: CoreClient,
  slug: string,
  given: PrintOptions & Record<string, unknown>,
): Promise<void> {
  const json = {}
  for (const [at, { path, none }] of settings.entries()) {
    const value = given[settingOptions[at]!.attributeName()]
    if (value === undefined) continue
    const isNone = none !== undefined && [value].flat().join() === 'none'
    put(json, path, isNone ? none : value)
  }
  if (Object.keys(json).length === 0)
    throw new InvalidArgumentError('Name at least one setting: lectern projects set --help lists them.')
  const { message, paths } = readMessage(ProjectSchema, json, { update: true })
  const patch = { slug, project: message as Project, updateMask: { paths } }
  const { project } = await client.projects.updateProject(patch).catch((error) => {
    throw describeFields(error, nameOption)
  })
  if (!project) return
  if (given.json) printJson(ProjectSchema, project)
  else printLine(`Changed project ${slug}.`)
}

/** `{}`, `config.mcp.enabled`, true → `{config: {mcp: {enabled: true}}}` */
function put(json: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop()!
  let group = json
  for (const name of names) {
    group[name] ??= {}
    group = group[name] as Record<string, unknown>
  }
  group[last] = value
}

/** Errors name the option in place of the field. */
function nameOption(field: string, problem: string): string {
  const at = settings.findIndex(({ path }) => field === path || field.startsWith(`${path}[`))
  return `${at < 0 ? field : settingOptions[at]!.long} ${problem}`
}

/** Sets exit code 1 when a driver does not answer. */
export async function status(client: CoreClient, { json }: PrintOptions): Promise<void> {
  const { status: first } = await client.status.getStatus({})
  if (!first) return
  while (first.projects.length < first.projectCount) {
    const { status: next } = await client.status.getStatus({ offset: first.projects.length })
    if (!next?.projects.length) break
    first.projects.push(...next.projects)
  }
  if (first.drivers.some(({ available }) => !available)) process.exitCode = 1
  if (json) return printJson(StatusSchema, first)
  printLine(`Lectern ${first.version}`)
  for (const { port, driver, available } of first.drivers)
    printLine(`${port.padEnd(10)} ${driver}${available ? '' : ': does not answer'}`)
  printLine(`model      ${first.model}`)
  printLine(`embedding  ${first.embeddingModel ?? 'off'}`)
  if (first.projects.length === 0) return
  printLine('')
  printTable(['SLUG', 'PAGES', 'EMBEDDED', 'LAST SYNC', 'NEXT SYNC'], first.projects.map(toRow))
  for (const { slug, failedSources } of first.projects)
    for (const { name, lastError } of failedSources)
      printLine(`${slug}: ${lastError.startsWith(name) ? '' : `${name}: `}${lastError}`)
}

function toRow({ slug, pageCount, embedding, lastSync, nextSyncAt }: ProjectStatus): string[] {
  const embedded = embedding ? `${embedding.done} of ${embedding.total}` : 'off'
  const last = lastSync ? RunStatus[lastSync.status].toLowerCase() : 'never'
  const next = nextSyncAt ? timestampDate(nextSyncAt).toISOString() : 'not scheduled'
  return [slug, String(pageCount), embedded, last, next]
}
