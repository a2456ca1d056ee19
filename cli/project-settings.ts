// `lectern projects set`: a table of options, each a field of the project.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readMessage } from '../gateway/json/read.ts'
import { type Project, ProjectSchema } from '../gen/lectern/v1/project_pb.js'
import type { CoreClient } from './client.ts'
import { describeFields } from './errors.ts'
import { type PrintOptions, printJson, printLine } from './print.ts'

interface Setting {
  flags: string
  description: string
  /** Path of the field in the project's JSON. */
  path: string
  read?(text: string): string | number | boolean
  /** The value of `none`. */
  none?: null | []
}

const onOff = (text: string) => {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

// biome-ignore format: a table
const settings: Setting[] = [
  { flags: '--name <name>', description: 'name for people', path: 'name' },
  { flags: '--private <on|off>', description: 'whether readers need a key', path: 'is_private', read: onOff },
  { flags: '--allowed-domains <domain...>', description: 'hosts whose pages may chat without a key; none: any host', path: 'allowed_domains', none: [] },
  { flags: '--schedule <cron>', description: 'schedule of syncs: a cron line of five fields in UTC, or none', path: 'config.sync.schedule', none: null },
  { flags: '--mcp <on|off>', description: 'whether MCP clients are served', path: 'config.mcp.enabled', read: onOff },
  { flags: '--mcp-name <name>', description: 'name given to MCP clients, or none', path: 'config.mcp.server_name', none: null },
  { flags: '--retention-days <days>', description: 'days after which chats are erased, or none', path: 'config.retention_days', read: readDays, none: null },
  { flags: '--greeting <text>', description: 'what the assistant says first, or none', path: 'config.chat.initial_message', none: null },
  { flags: '--questions <question...>', description: 'questions suggested to readers; none: no questions', path: 'config.chat.suggested_questions', none: [] },
  { flags: '--think <on|off>', description: 'whether answers reason by default', path: 'config.chat.think_mode', read: onOff },
  { flags: '--prompt <text>', description: 'instructions added to the prompt, or none', path: 'config.prompt.extend', none: null },
  { flags: '--whitelabel <on|off>', description: 'whether pages for readers hide the mark of Lectern', path: 'whitelabel', read: onOff },
]

const options = settings.map(({ flags, description, read }) => {
  const option = new Option(flags, description)
  return read ? option.argParser(read) : option
})

export function addSettingOptions(command: Command): Command {
  for (const option of options) command.addOption(option)
  return command
}

export async function setProject(
  client: CoreClient,
  slug: string,
  given: PrintOptions & Record<string, unknown>,
): Promise<void> {
  const json = {}
  for (const [at, { path, none }] of settings.entries()) {
    const value = given[options[at]!.attributeName()]
    if (value === undefined) continue
    const isNone = none !== undefined && [value].flat().join() === 'none'
    put(json, path.split('.'), isNone ? none : value)
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

function put(json: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    json[first] = value
    return
  }
  const group = (json[first] ?? {}) as Record<string, unknown>
  json[first] = group
  put(group, rest, value)
}

/** Errors name the option in place of the field. */
function nameOption(field: string, problem: string): string {
  const at = settings.findIndex(({ path }) => field === path || field.startsWith(`${path}[`))
  return `${at < 0 ? field : options[at]!.long} ${problem}`
}

function readDays(text: string): number | string {
  if (text === 'none') return text
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1, or none.')
}
