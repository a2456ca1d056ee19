// Checks API descriptions with the reader of openapi sources: for OpenApiService, and before a description is stored.
import type { ServiceImpl } from '@connectrpc/connect'
import type { Fetcher } from '../../crawler/fetch.ts'
import type { OpenApiService } from '../../gen/lectern/v1/openapi_pb.js'
import type { Check, Missing } from '../../sources/openapi/openapi-parser.ts'
import { loadDescription } from '../../sources/openapi/openapi-type.ts'
import { type SourceTools, UnreadableSource } from '../../sources/source-type.ts'
import { teamOf } from '../context.ts'
import { readPageAddress } from '../page-address.ts'
import { createTurnstile } from '../semaphore.ts'

interface OpenApiDeps {
  fetcher: Fetcher
  /** Runs tasks of the openapi parser in a parse thread, fairly among teams. */
  read(context: { project: string; signal: AbortSignal }): SourceTools['read']
}

/** Maximum concurrent checks of all teams and of one team. Each may use a description of 20 MB. */
const maxChecks = { all: 16, team: 4 }

/** Returns the result, or a sentence that says why the description is unreadable. `first`: the description or its address. */
export type CheckDescription = (
  first: string | object,
  team: string,
  signal: AbortSignal,
) => Promise<Check | string>

export function createCheckDescription({ fetcher, read }: OpenApiDeps): CheckDescription {
  const enter = createTurnstile(maxChecks, 'Too many API descriptions are being checked.')

  return async (first, team, signal) => {
    const leave = enter(team)
    const from = typeof first === 'string' ? { start: first } : { start: '', spec: JSON.stringify(first) }
    try {
      return await loadDescription({ fetcher: fetcher.forProject(team), signal, ...from }, (files) =>
        read({ project: team, signal })<Check | Missing>('check', files),
      )
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
