// Project rows as messages and back.
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Project as ProjectMessage, ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import type { Project, ProjectConfig } from '../store/project.ts'
import type { Run } from '../store/run.ts'
import { toSummary } from '../sync/sync-message.ts'

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
