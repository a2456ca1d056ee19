// Health of the language model: reports the outcome of each call, and checks that the provider responds, without calling the model.
import { mapStream } from '../stream.ts'
import { type Model, type ModelEnd, ModelError, type ModelFault } from './model.ts'
import { anthropicHeaders, type ProviderSettings, providerBases } from './provider.ts'

/** `aborted`: the caller stopped it. */
export type CallOutcome = ModelEnd | ModelFault | 'aborted'

/** Reports the outcome and the duration of each call. */
export function observeModel(model: Model, report: (outcome: CallOutcome, seconds: number) => void): Model {
  return {
    ...model,
    answer(request, signal) {
      const begun = performance.now()
      let outcome: CallOutcome = 'aborted'
      return mapStream(model.answer(request, signal), {
        map(part) {
          if (part.type === 'end') outcome = part.reason
          return part
        },
        mapError(error) {
          if (error instanceof ModelError) outcome = error.fault
          return error
        },
        onEnd: () => report(outcome, (performance.now() - begun) / 1_000),
      })
    },
  }
}

const timeoutMs = 5_000
/** Milliseconds for which a result is cached. */
const cacheMs = 30_000

type Provider = Pick<ProviderSettings, 'provider' | 'url' | 'key'>

const toBase = ({ provider, url }: Provider) =>
  url ?? providerBases[provider === 'anthropic' ? provider : 'openai']

/**
 * Requests the provider's list of models. Resolves for any response except errors, even 404. Rejects with ModelError
 * `unavailable` without a response and for 5xx, `refused` for 401 and 403.
 */
async function probe(provider: Provider): Promise<void> {
  const { key } = provider
  const isAnthropic = provider.provider === 'anthropic'
  const headers = { ...(isAnthropic && anthropicHeaders), ...(key && { authorization: `Bearer ${key}` }) }
  const address = `${toBase(provider)}${isAnthropic ? '/v1' : ''}/models`
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(address, { headers, redirect: 'manual', signal }).catch((error) => {
    throw new ModelError('unavailable', error)
  })
  await response.body?.cancel()
  if (response.status === 401 || response.status === 403) throw new ModelError('refused')
  if (response.status >= 500) throw new ModelError('unavailable')
}

/** Creates a probe that caches its result for 30 s. `now`: in milliseconds. */
export function createModelProbe(
  provider: Provider,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let probedAt = Number.NEGATIVE_INFINITY
  let result = Promise.resolve()
  return () => {
    if (now() - probedAt >= cacheMs) {
      probedAt = now()
      result = probe(provider)
      result.catch(() => {})
    }
    return result
  }
}

/** Log line for a failed probe. Has only the host of the address. */
export function probeWarning(provider: Provider, error: unknown): string {
  const { host } = new URL(toBase(provider))
  const isRefused = error instanceof ModelError && error.fault === 'refused'
  return isRefused
    ? `LECTERN_LLM_KEY: the language model at ${host} refuses the key. Answers quote sections until it accepts it.`
    : `LECTERN_LLM_URL: the language model at ${host} does not answer. Answers quote sections until it does.`
}
