// Converts sources to messages.
import { create } from '@bufbuild/protobuf'
import {
  type Source as SourceMessage,
  SourceSchema,
  SourceState,
  SourceType,
} from '../../gen/lectern/v1/source_pb.js'
import { toEnum, toTime, withoutNulls } from '../message.ts'
import type { Source, SourceType as Type } from '../store/source.ts'

export function toSourceType(type: Type): SourceType {
  return toEnum(SourceType, type)
}

export function toSource(source: Source, pageCount: number): SourceMessage {
  const { uuid, name, url, include, exclude, lastError, lastCrawledAt, maxPages, maxDepth, options } = source
  const { branch, baseUrl, spaceKey, fileName, maxConnections, delayMs } = options
  return create(SourceSchema, {
    ...{ uuid, name, include, exclude, pageCount },
    type: toSourceType(source.type),
    createdAt: toTime(source.createdAt),
    state: toEnum(SourceState, source.state),
    ...withoutNulls({ lastError, maxPages, maxDepth, maxConnections, delayMs }),
    ...withoutNulls({ branch, baseUrl, spaceKey, fileName }),
    ...withoutNulls({ url: url || null, lastCrawledAt: toTime(lastCrawledAt) }),
  })
}
