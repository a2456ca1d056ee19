// The scope of a source: the addresses that it includes, by its type, start address and globs.
import { createScope, type SourceScope } from '../../crawler/scope.ts'
import { sourceTable } from '../../sources/source-table.ts'
import type { SourceReader } from '../../sources/source-type.ts'
import type { Source } from '../store/source.ts'

/** Null if neither type nor reader defines a scope. Throws if the address or globs are invalid. */
export function findScope(source: Source, reader?: SourceReader): SourceScope | null {
  const { covers = reader?.covers && (() => reader.covers!), follows } = sourceTable[source.type]
  return covers === undefined ? null : createScope(source, { covers, ...(follows && { follows }) })
}

/** Null if it is not a web source, or if its address or globs are invalid. */
export function readScope(source: Source): SourceScope | null {
  try {
    return findScope(source)
  } catch {
    return null
  }
}
