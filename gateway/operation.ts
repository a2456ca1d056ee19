// What an operator asks (decisions.md section 1): `/healthz` alive, `/readyz` every backend answers, `/metrics`.
import type { Answer } from './http.ts'
import type { Metrics } from './metrics.ts'
import type { Route } from './router.ts'

/** Backends by name; a check rejects while its backend does not answer. */
export type Readiness = Record<string, () => Promise<unknown>>

/** How long a check may take, in milliseconds. */
const patienceMs = 5_000

export function createOperationRoutes(readiness: Readiness, metrics: Metrics): Route[] {
  return [
    { method: 'GET', path: '/healthz', answer: () => toJson(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      async answer() {
        const names = Object.keys(readiness)
        const answers = await Promise.all(names.map((name) => isReady(readiness[name]!)))
        const away = names.filter((_, at) => !answers[at])
        return away.length === 0
          ? toJson(200, { status: 'ready' })
          : toJson(503, { status: 'not ready', away }, { 'retry-after': '5' })
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      answer: () => ({
        status: 200,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        body: metrics.render(),
      }),
    },
  ]
}

async function isReady(check: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  const answered = check().then(
    () => true,
    () => false,
  )
  const isGood = await Promise.race([answered, tooLate])
  clearTimeout(timer)
  return isGood
}

function toJson(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}
