// Which addresses a source takes, from its type, start address and globs.
import { createScope, type SourceScope } from '../../crawler/scope.ts'
import { sourceTable } from '../../sources/source-table.ts'
import type { SourceReader } from '../../sources/source-type.ts'
import type { Source } from '../store/source.ts'

/** Null if neither its type nor its reader defines a scope. Throws if its address or globs are not valid. */
export function findScope(source: Source, reader?: SourceReader): SourceScope | null {
  const { covers = reader?.covers && (() => reader.covers!), follows } = sourceTable[source.type]
  return covers === undefined ? null : createScope(source, { covers, ...(follows && { follows }) })
}

/** Null if it is not of the web, or if its address or globs are not valid. */
export function readScope(source: Source): SourceScope | null {
  try {
    return findScope(source)
  } catch {
    return null
  }
}
