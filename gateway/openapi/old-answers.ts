// Schemas of the answers that REST v1 alone has.
import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { ProjectSchema } from '../../gen/lectern/v1/project_pb.js'
import { settingPaths } from '../rest-v1.ts'
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
  const toSchema = (path: string) => {
    let [message, field]: [DescMessage | undefined, DescField | undefined] = [ProjectSchema, undefined]
    for (const part of path.split('.')) {
      field = message?.fields.find(({ name }) => name === part)
      message = field?.message
    }
    return schemas.ofField(field!, 'answer')
  }
  const properties = Object.entries(settingPaths).map(([name, path]) => [name, toSchema(path)])
  return toObject(Object.fromEntries(properties))
}

/** An object that always has all of these. */
export function toObject(properties: Record<string, Schema>): Schema {
  return { type: 'object', required: Object.keys(properties), properties }
}
