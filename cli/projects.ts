// `lectern status` and `lectern projects`: the state of all projects; listing, adding, changing and removing them.
import { InvalidArgumentError, Option } from 'commander'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { StatusService } from '../gen/lectern/v1/status_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import {
  type Command,
  call,
  json,
  list,
  type Options,
  option,
  readAddress,
  readDays,
  readSwitch,
} from './command.ts'
import { type Columns, describeFields, printJson, printLine, printRows } from './print.ts'
import { sync } from './runs.ts'

const { method } = ProjectService

async function addProject(core: CliClient, name: string, url: string, options: Options): Promise<void> {
  const wanted = { name, slug: options.slug, is_private: options.private ?? false }
  const project = await core.call(method.createProject, { project: wanted })
  const { slug } = project
  await core.call(SourceService.method.createSource, { slug, source: { type: 'site', url } })
  if (options.json) printJson(project)
  else printLine(`Created project ${slug}.`)
  await sync(core, slug, options)
}

interface Setting {
  flags: string
  description: string
  /** Path of the field in the project's JSON. */
  path: string
  read?(text: string): string | number | boolean
  /** The field's value for `none`. */
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

const settingOptions = settings.map(({ flags, description, read }) => {
  const option = new Option(flags, description)
  return read ? option.argParser(read) : option
})

async function setProject(core: CliClient, slug: string, given: Options): Promise<void> {
  const json = {}
  for (const [at, { path, none }] of settings.entries()) {
    const value = given[settingOptions[at]!.attributeName()]
    if (value === undefined) continue
    const isNone = none !== undefined && [value].flat().join() === 'none'
    put(json, path, isNone ? none : value)
  }
  if (Object.keys(json).length === 0)
    throw new InvalidArgumentError('Name at least one setting: lectern projects set --help lists them.')
  const project = await core.change(method.updateProject, { slug }, json).catch((error) => {
    throw describeFields(error, nameOption)
  })
  if (given.json) printJson(project)
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

/** Names the option instead of the field in an error. */
function nameOption(field: string, problem: string): string {
  const at = settings.findIndex(({ path }) => field === path || field.startsWith(`${path}[`))
  return `${at < 0 ? field : settingOptions[at]!.long} ${problem}`
}

const statusColumns: Columns = {
  SLUG: 'slug',
  PAGES: 'page_count',
  EMBEDDED: ({ embedding }) => (embedding ? `${embedding.done} of ${embedding.total}` : 'off'),
  'LAST SYNC': ['last_sync.status', 'never'],
  'NEXT SYNC': ['next_sync_at', 'not scheduled'],
}

/** Sets exit code 1 if a driver does not answer. */
async function status(core: CliClient, options: Options): Promise<void> {
  const read = (offset: number) => core.call(StatusService.method.getStatus, { offset })
  const first = await read(0)
  const projects: JsonObject[] = first.projects
  while (projects.length < first.project_count) {
    const next = await read(projects.length)
    if (next.projects.length === 0) break
    projects.push(...next.projects)
  }
  if (first.drivers.some((driver: JsonObject) => !driver.available)) process.exitCode = 1
  if (options.json) return printJson(first)
  printLine(`Lectern ${first.version}`)
  for (const { port, driver, available } of first.drivers)
    printLine(`${port.padEnd(10)} ${driver}${available ? '' : ': does not answer'}`)
  printLine(`model      ${first.model}`)
  printLine(`embedding  ${first.embedding_model ?? 'off'}`)
  if (projects.length === 0) return
  printLine('')
  printRows(statusColumns, projects)
  for (const { slug, failed_sources: failed } of projects)
    for (const { name, last_error: error } of failed)
      printLine(`${slug}: ${error.startsWith(name) ? '' : `${name}: `}${error}`)
}

export const projectCommands: Command[] = [
  {
    usage: 'status',
    about: 'print version, drivers, models and the state of every project; fails if a server does not answer',
    options: [json],
    run: status,
  },
  {
    usage: 'projects list',
    isDefault: true,
    options: [json],
    run: list(method.listProjects, [], {
      SLUG: 'slug',
      NAME: 'name',
      ACCESS: ({ is_private: isPrivate }) => (isPrivate ? 'private' : 'public'),
      'LAST SYNC': ['last_sync.status', 'never'],
    }),
  },
  {
    usage: 'projects add <name> <url>',
    about: 'create a project for a site, and sync it',
    arguments: { url: ['where it begins', readAddress] },
    options: [
      option('--slug <slug>', 'its slug; made from the name if left out'),
      option('--private', 'readers need a key'),
      option('-w, --wait', 'follow the first sync until it ends'),
      json,
    ],
    run: addProject,
  },
  {
    usage: 'projects set <slug>',
    about: 'change settings of a project',
    options: [...settingOptions, json],
    run: setProject,
  },
  {
    usage: 'projects remove <slug>',
    run: call(method.deleteProject, ['slug'], ({ slug }) => `Removed project ${slug}.`),
  },
]
