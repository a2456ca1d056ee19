// Applies changes to a project: a reader for each writable field, used by creation and PATCH (for the paths of the mask).
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type DescMessage, getOption } from '@bufbuild/protobuf'
import { Cron } from 'croner'
import { readUrlPattern } from '../../crawler/glob.ts'
import { FieldAccess, field_access } from '../../gen/lectern/v1/options_pb.js'
import { type Project as ProjectMessage, ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { invalidField } from '../errors.ts'
import type { Project, ProjectConfig, SearchFilter } from '../store/project.ts'

type Settings = Pick<Project, 'name' | 'isPrivate' | 'whitelabel' | 'allowedDomains' | 'config'>

/** Reads the values of paths that are not stored as given. */
const readers: Record<string, (from: ProjectMessage) => unknown> = {
  name: ({ name }) => readName(name),
  allowed_domains: ({ allowedDomains }) => [...new Set(allowedDomains.map((domain) => domain.toLowerCase()))],
  'config.search.filters': ({ config }) => readFilters(config?.search?.filters ?? []),
  'config.sync.schedule': ({ config }) => readSchedule(config?.sync?.schedule ?? null),
}

/** Paths of the fields that callers may change. */
function listWritable({ fields }: DescMessage, prefix = ''): string[] {
  return fields.flatMap((field) => {
    if (getOption(field, field_access) !== FieldAccess.UNSPECIFIED) return []
    const path = prefix + field.name
    return field.fieldKind === 'message' ? listWritable(field.message, `${path}.`) : [path]
  })
}

export const writablePaths = listWritable(ProjectSchema)

type Fields = Record<string, unknown>

/** Sets the field at the path, such as `config.chat.think_mode`, to that of the message, or to its default if unset. */
function write(settings: Settings, path: string, from: ProjectMessage): void {
  const names = path.split('.').map((name) => name.replace(/_./g, (letter) => letter[1]!.toUpperCase()))
  const last = names.pop()!
  const groupIn = (whole: object) =>
    names.reduce((group, name) => (group[name] ?? {}) as Fields, whole as unknown as Fields)
  const value = path in readers ? readers[path]!(from) : groupIn(from)[last]
  groupIn(settings)[last] = structuredClone(value ?? groupIn({ config: defaultConfig })[last])
}

/** Returns the settings with the fields at `paths` taken from `from`. The path of a group (`config.chat`) includes all its fields. */
export function changeSettings(before: Settings, from: ProjectMessage, paths: string[]): Settings {
  const settings: Settings = { ...before, config: structuredClone(before.config) }
  for (const path of paths) {
    const below = writablePaths.filter((writable) => writable === path || writable.startsWith(`${path}.`))
    for (const writable of below) write(settings, writable, from)
  }
  return settings
}

/** Settings of a new project: the fields of the message, defaults for the rest. */
export function newSettings(from: ProjectMessage): Settings {
  const empty = { name: '', isPrivate: false, whitelabel: false, allowedDomains: [], config: defaultConfig }
  return changeSettings(empty, from, writablePaths)
}

/** Rejects with DomainError(invalid) if a filter's pattern is invalid or too large. Yields to the event loop after each pattern. */
export async function checkFilters(from: ProjectMessage): Promise<void> {
  for (const [at, { url }] of (from.config?.search?.filters ?? []).entries()) {
    try {
      readUrlPattern(url, { ignoreCase: true })
    } catch (error) {
      throw invalidField(`config.search.filters[${at}].url`, (error as Error).message)
    }
    await nextTurn()
  }
}

function readName(name: string): string {
  if (name.trim() === '') throw invalidField('name', 'must not be empty')
  return name.trim()
}

/** Sorts by position and renumbers from 1. */
function readFilters(given: { title: string; url: string; position: number }[]): SearchFilter[] {
  given.forEach(({ title }, at) => {
    const first = given.findIndex((other) => other.title === title)
    if (first < at) {
      throw invalidField(`config.search.filters[${at}].title`, `is already the title of filter ${first + 1}`)
    }
  })
  return given
    .map(({ title, url, position }) => ({ title, url, position: position || given.length }))
    .sort((one, other) => one.position - other.position)
    .map((filter, at) => ({ ...filter, position: at + 1 }))
}

/**
 * The cron syntax that both Croner and Temporal support: numbers, `*`, lists, ranges, steps, and names of months and days.
 * Temporal rejects Croner's `L`, `W`, `#`, `?` and `+`, or reads them as a comment.
 */
const plainCron =
  /^(?:[\d*,/\s-]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b)*$/i

function readSchedule(schedule: string | null): string | null {
  if (schedule === null) return null
  const takes = 'must be a five-field cron line in UTC, such as 0 3 * * *'
  const isPlain = plainCron.test(schedule) && schedule.trim().split(/\s+/).length === 5
  if (!isPlain || nextTime(schedule) === null) throw invalidField('config.sync.schedule', takes)
  return schedule.trim()
}

/** Returns the next time. Null if the schedule is invalid or never due, such as 30 February. */
export function nextTime(schedule: string): Date | null {
  try {
    return new Cron(schedule, { paused: true, timezone: 'UTC' }).nextRun()
  } catch {
    return null
  }
}

export const defaultConfig: ProjectConfig = {
  chat: { initialMessage: null, suggestedQuestions: [], thinkMode: false, actions: [] },
  search: { filters: [] },
  mcp: { enabled: false, serverName: null, metadataTag: null },
  prompt: { useDefault: true, version: 'v3', extend: null },
  sync: { schedule: null },
  retentionDays: null,
}

/** Converts a name to a slug, `[a-z0-9-]{1,64}`: `Ünser Handbuch 2.0` → `unser-handbuch-2-0`; without ASCII → `project`. */
export function toSlug(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{Mark}/gu, '')
  const slug = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '')
  return slug || 'project'
}
