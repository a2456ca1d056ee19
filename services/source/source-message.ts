// Source rows as messages.
import { create } from '@bufbuild/protobuf'
import {
  type Source as SourceMessage,
  SourceSchema,
  SourceState,
  SourceType,
} from '../../gen/lectern/v1/source_pb.js'
import type { Source, SourceType as Type } from '../store/source.ts'
import { toTime } from '../sync/sync-message.ts'

export function toSourceType(type: Type): SourceType {
  return SourceType[type.toUpperCase() as Uppercase<Type>]
}

export function readSourceType(type: SourceType): Type {
  return SourceType[type].toLowerCase() as Type
}

export function toSource(source: Source, pageCount: number): SourceMessage {
  const { branch, baseUrl, spaceKey, fileName } = source.options
  return create(SourceSchema, {
    uuid: source.uuid,
    name: source.name,
    type: toSourceType(source.type),
    createdAt: toTime(source.createdAt),
    pageCount,
    state: SourceState[source.state.toUpperCase() as Uppercase<Source['state']>],
    include: source.include,
    exclude: source.exclude,
    ...(source.url !== '' && { url: source.url }),
    ...(source.lastError !== null && { lastError: source.lastError }),
    ...(branch !== undefined && { branch }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(spaceKey !== undefined && { spaceKey }),
    ...(fileName !== undefined && { fileName }),
    ...(source.lastCrawledAt !== null && { lastCrawledAt: toTime(source.lastCrawledAt) }),
    ...(source.maxPages !== null && { maxPages: source.maxPages }),
    ...(source.maxDepth !== null && { maxDepth: source.maxDepth }),
  })
}
