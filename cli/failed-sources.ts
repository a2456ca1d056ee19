// The sources that a run could not read, as lines for a person.
import type { CallOptions } from '@connectrpc/connect'
import { SourceState } from '../gen/lectern/v1/source_pb.js'
import type { CoreClient } from './client.ts'

/** `1 source could not be read: …`, or a line for each of several. */
export async function describeFailedSources(
  sources: Pick<CoreClient['sources'], 'listSources'>,
  slug: string,
  options: CallOptions = {},
): Promise<string> {
  const { results } = await sources.listSources({ slug, all: true }, options)
  const failed = results.filter(({ state }) => state === SourceState.FAILED)
  const errors = failed.map(({ name, lastError = '' }) =>
    failed.length > 1 ? `  ${name}: ${lastError}` : ` ${lastError}`,
  )
  const [count, separator] = failed.length === 1 ? ['1 source', ''] : [`${failed.length} sources`, '\n']
  return `${count} could not be read:${separator}${errors.join('\n')}`
}
