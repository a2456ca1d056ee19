// Projects as messages, and changes to a project: one entry for each writable field, used by creation (the given fields) and by
// PATCH (the paths of the mask).
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Cron } from 'croner'
import { readUrlPattern } from '../../crawler/glob.ts'
import { type Project as ProjectMessage, ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { DomainError, type FieldErrors } from '../errors.ts'
import type { Project, ProjectConfig, SearchFilter } from '../store/project.ts'
import type { Run } from '../store/run.ts'
import { toSummary } from '../sync/sync-message.ts'

type Settings = Pick<Project, 'name' | 'isPrivate' | 'whitelabel' | 'allowedDomains' | 'config'>
type Apply = (settings: Settings, from: ProjectMessage) => void

/** What each path of an update mask writes; a field that the message does not hold falls back to its default. */
const writers: Record<string, Apply> = {
  name: (settings, from) => {
    if (from.name.trim() === '') throw invalid({ name: ['must not be empty'] })
    settings.name = from.name.trim()
  },
  is_private: (settings, from) => {
    settings.isPrivate = from.isPrivate
  },
  whitelabel: (settings, from) => {
    settings.whitelabel = from.whitelabel
  },
  allowed_domains: (settings, from) => {
    settings.allowedDomains = [...new Set(from.allowedDomains.map((domain) => domain.toLowerCase()))]
  },
  'config.chat.initial_message': ({ config }, from) => {
    config.chat.initialMessage = from.config?.chat?.initialMessage ?? null
  },
  'config.chat.suggested_questions': ({ config }, from) => {
    config.chat.suggestedQuestions = from.config?.chat?.suggestedQuestions ?? []
  },
  'config.chat.think_mode': ({ config }, from) => {
    config.chat.thinkMode = from.config?.chat?.thinkMode ?? false
  },
  'config.search.filters': ({ config }, from) => {
    config.search.filters = readFilters(from.config?.search?.filters ?? [])
  },
  'config.mcp.enabled': ({ config }, from) => {
    config.mcp.enabled = from.config?.mcp?.enabled ?? false
  },
  'config.mcp.server_name': ({ config }, from) => {
    config.mcp.serverName = from.config?.mcp?.serverName ?? null
  },
  'config.mcp.metadata_tag': ({ config }, from) => {
    config.mcp.metadataTag = from.config?.mcp?.metadataTag ?? null
  },
  'config.prompt.use_default': ({ config }, from) => {
    config.prompt.useDefault = from.config?.prompt?.useDefault ?? defaultConfig.prompt.useDefault
  },
  'config.prompt.version': ({ config }, from) => {
    config.prompt.version = from.config?.prompt?.version ?? defaultConfig.prompt.version
  },
  'config.prompt.extend': ({ config }, from) => {
    config.prompt.extend = from.config?.prompt?.extend ?? null
  },
  'config.sync.schedule': ({ config }, from) => {
    config.sync.schedule = readSchedule(from.config?.sync?.schedule ?? null)
  },
  'config.retention_days': ({ config }, from) => {
    config.retentionDays = from.config?.retentionDays ?? null
  },
}

export const writablePaths = Object.keys(writers)

/** The settings with what `from` holds under `paths`; a path of a whole group (`config.chat`) writes all below it. */
export function changeSettings(before: Settings, from: ProjectMessage, paths: string[]): Settings {
  const settings: Settings = { ...before, config: structuredClone(before.config) }
  for (const path of paths) {
    const below = writablePaths.filter((writable) => writable === path || writable.startsWith(`${path}.`))
    if (below.length === 0) throw invalid({ [path]: ['unknown field or read-only'] })
    for (const writable of below) writers[writable]?.(settings, from)
  }
  return settings
}

/** Settings of a new project: everything that the message holds, defaults for the rest. */
export function newSettings(from: ProjectMessage): Settings {
  const empty: Settings = {
    name: '',
    isPrivate: false,
    whitelabel: false,
    allowedDomains: [],
    config: structuredClone(defaultConfig) as ProjectConfig,
  }
  return changeSettings(empty, from, writablePaths)
}

/** Rejects where a filter's pattern cannot be read, or is too large. Others are served between two patterns. */
export async function checkFilters(from: ProjectMessage): Promise<void> {
  for (const [at, { url }] of (from.config?.search?.filters ?? []).entries()) {
    try {
      readUrlPattern(url, { ignoreCase: true })
    } catch (error) {
      throw invalid({ [`config.search.filters[${at}].url`]: [(error as Error).message] })
    }
    await nextTurn()
  }
}

/** Sorted by position, then as given; positions are numbered anew from 1. */
function readFilters(given: { title: string; url: string; position: number }[]): SearchFilter[] {
  given.forEach(({ title }, at) => {
    const first = given.findIndex((other) => other.title === title)
    if (first < at) {
      throw invalid({
        [`config.search.filters[${at}].title`]: [`is the title of filter ${first + 1} already`],
      })
    }
  })
  return given
    .map(({ title, url, position }) => ({ title, url, position: position || given.length }))
    .sort((one, other) => one.position - other.position)
    .map((filter, at) => ({ ...filter, position: at + 1 }))
}

/**
 * What whoever runs schedules reads alike: numbers, `*`, lists, ranges, steps, and names of months and days. Croner has more
 * (`L`, `W`, `#`, `?`, `+`), which Temporal refuses or takes for a comment.
 */
const plainCron =
  /^(?:[\d*,/\s-]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)\b)*$/i

function readSchedule(schedule: string | null): string | null {
  if (schedule === null) return null
  const takes = 'must be a five-field cron line in UTC, such as 0 3 * * *'
  const isPlain = plainCron.test(schedule) && schedule.trim().split(/\s+/).length === 5
  if (!isPlain || nextTime(schedule) === null) throw invalid({ 'config.sync.schedule': [takes] })
  return schedule.trim()
}

/** Null for what is no cron line, and for one that never comes due, such as 30 February. */
export function nextTime(schedule: string): Date | null {
  try {
    return new Cron(schedule, { paused: true, timezone: 'UTC' }).nextRun()
  } catch {
    return null
  }
}

function invalid(fields: FieldErrors): DomainError {
  const [[field, [problem]] = ['', ['']]] = Object.entries(fields) as [string, [string]][]
  return new DomainError('invalid', `${field}: ${problem}.`, fields)
}

export const defaultConfig: ProjectConfig = {
  chat: { initialMessage: null, suggestedQuestions: [], thinkMode: false, actions: [] },
  search: { filters: [] },
  mcp: { enabled: false, serverName: null, metadataTag: null },
  prompt: { useDefault: true, version: 'v3', extend: null },
  sync: { schedule: null },
  retentionDays: null,
}

export function toProject(project: Project, lastSync: Run | null): ProjectMessage {
  return create(ProjectSchema, {
    slug: project.slug,
    uuid: project.uuid,
    name: project.name,
    isPrivate: project.isPrivate,
    whitelabel: project.whitelabel,
    allowedDomains: project.allowedDomains,
    createdAt: timestampFromDate(new Date(project.createdAt)),
    updatedAt: timestampFromDate(new Date(project.updatedAt)),
    config: toConfig(project.config),
    ...(lastSync && { lastSync: toSummary(lastSync) }),
  })
}

function toConfig(config: ProjectConfig): NonNullable<MessageInitShape<typeof ProjectSchema>['config']> {
  return {
    chat: {
      suggestedQuestions: config.chat.suggestedQuestions,
      thinkMode: config.chat.thinkMode,
      actions: config.chat.actions,
      ...optional('initialMessage', config.chat.initialMessage),
    },
    search: config.search,
    mcp: {
      enabled: config.mcp.enabled,
      ...optional('serverName', config.mcp.serverName),
      ...optional('metadataTag', config.mcp.metadataTag),
    },
    prompt: {
      useDefault: config.prompt.useDefault,
      version: config.prompt.version,
      ...optional('extend', config.prompt.extend),
    },
    sync: { ...optional('schedule', config.sync.schedule) },
    ...optional('retentionDays', config.retentionDays),
  }
}

/** A nullable column as an optional field: left out where it is null. */
function optional<Name extends string, Value>(name: Name, value: Value | null): { [Key in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { [Key in Name]?: Value }
}
