// Checks API descriptions as a source of type openapi would read them: for OpenApiService, and before one is stored whole.
import type { ServiceImpl } from '@connectrpc/connect'
import type { Fetcher } from '../../crawler/fetch.ts'
import type { OpenApiService } from '../../gen/lectern/v1/openapi_pb.js'
import { loadDescription } from '../../sources/openapi/load-description.ts'
import type { Check, Missing } from '../../sources/openapi/openapi-parser.ts'
import { type SourceTools, UnreadableSource } from '../../sources/source-type.ts'
import { teamOf } from '../context.ts'
import { readPageAddress } from '../page-address.ts'
import { createTurnstile } from '../semaphore.ts'

interface OpenApiDeps {
  fetcher: Fetcher
  /** Tasks of the parser of the type, in a parse thread, which the teams share evenly. */
  read(context: { project: string; signal: AbortSignal }): SourceTools['read']
}

/** Concurrent checks of all teams and of one team. Each may hold a description of 20 MB. */
const maxChecks = { all: 16, team: 4 }

/** What a check finds, or a sentence that says why the description cannot be read. `first`: it, or its address. */
export type CheckDescription = (
  first: string | object,
  team: string,
  signal: AbortSignal,
) => Promise<Check | string>

export function createCheckDescription({ fetcher, read }: OpenApiDeps): CheckDescription {
  const enter = createTurnstile(maxChecks, 'Too many API descriptions are being checked.')

  async function check(first: string | object, team: string, signal: AbortSignal): Promise<Check | string> {
    const from = typeof first === 'string' ? { url: first } : { spec: JSON.stringify(first) }
    const readTask = read({ project: team, signal })
    const loaded = await loadDescription<Check>(
      { fetcher: fetcher.forProject(team), signal, from },
      (files) => readTask<Check | Missing>('check', files),
    )
    return 'unreadable' in loaded ? loaded.unreadable : loaded.result
  }

  return async (first, team, signal) => {
    const leave = enter(team)
    try {
      return await check(first, team, signal)
    } catch (error) {
      if (error instanceof UnreadableSource) return error.message
      throw error
    } finally {
      leave()
    }
  }
}

export function createOpenApiService(check: CheckDescription): ServiceImpl<typeof OpenApiService> {
  return {
    async validateOpenApi({ url, spec }, context) {
      const found = await check(spec ?? readPageAddress(url ?? ''), teamOf(context), context.signal)
      return typeof found === 'string' ? { valid: false, errors: [{ path: '', message: found }] } : found
    },
  }
}
