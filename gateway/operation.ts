// What an operator asks: `/healthz` alive, `/readyz` every backend answers, `/metrics`.
import pTimeout from 'p-timeout'
import type { Answer } from './http.ts'
import type { Metrics } from './metrics.ts'
import type { Route } from './router.ts'

/** Names of the backends that do not answer: `store`, `index`, `runs`, `model`, or `core` where the core does not answer. */
export type Readiness = () => Promise<string[]>

/** How long that may take, in milliseconds; later, it is the core that does not answer. */
const timeoutMs = 5_000

export function createOperationRoutes(
  readiness: Readiness,
  metrics: Metrics,
  processMetrics = async () => '',
): Route[] {
  return [
    { method: 'GET', path: '/healthz', answer: () => toJson(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      isLimited: true,
      async answer() {
        const away = await pTimeout(readiness(), { milliseconds: timeoutMs, fallback: () => ['core'] })
        // Lectern answers without its language model: it quotes sections.
        return away.every((name) => name === 'model')
          ? toJson(200, { status: 'ready', ...(away.length > 0 && { away }) })
          : toJson(503, { status: 'not ready', away }, { 'retry-after': '5' })
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      isLimited: true,
      answer: async () => ({
        status: 200,
        headers: { 'content-type': metrics.contentType },
        body: `${await metrics.render()}\n${await processMetrics()}`,
      }),
    },
  ]
}

function toJson(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
