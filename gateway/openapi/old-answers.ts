// Schemas of the answers that REST v1 alone has.
import type { DescMessage } from '@bufbuild/protobuf'
import {
  ChatConfigSchema,
  McpConfigSchema,
  ProjectSchema,
  SearchConfigSchema,
} from '../../gen/lectern/v1/project_pb.js'
import type { Schema } from './rules.ts'
import type { Schemas } from './schemas.ts'

const text: Schema = { type: 'string' }

export const sentence: Schema = { type: 'string', description: 'A sentence for a person.' }

export const names: Schema = {
  type: 'array',
  items: toObject({ uuid: text, name: text, type: text }),
}

export const oldConversation: Schema = toObject({
  messages: {
    type: 'array',
    items: toObject({
      content: { type: 'string', description: 'The text, in Markdown.' },
      is_human_message: { type: 'boolean', description: 'Whether the reader wrote it.' },
      uuid: text,
      feedback: { type: ['integer', 'null'], enum: [0, 1, null] },
      sources: { type: 'string', description: 'Pages that an answer rests on: lines of Markdown links.' },
    }),
  },
})

/** The settings of a project as v1 names them, each with the schema that v2 has for it. */
export function toOldSettings(schemas: Schemas): Schema {
  const of = (message: DescMessage, name: string) =>
    schemas.ofField(message.fields.find((field) => field.name === name)!, 'answer')
  return toObject({
    whitelabel: of(ProjectSchema, 'whitelabel'),
    is_private: of(ProjectSchema, 'is_private'),
    initial_message: of(ChatConfigSchema, 'initial_message'),
    suggested_questions: of(ChatConfigSchema, 'suggested_questions'),
    think_mode: of(ChatConfigSchema, 'think_mode'),
    filters: of(SearchConfigSchema, 'filters'),
    mcp_enabled: of(McpConfigSchema, 'enabled'),
    mcp_server_name: of(McpConfigSchema, 'server_name'),
    mcp_metadata_tag: of(McpConfigSchema, 'metadata_tag'),
  })
}

/** An object that always has all of these. */
export function toObject(properties: Record<string, Schema>): Schema {
  return { type: 'object', required: Object.keys(properties), properties }
}
