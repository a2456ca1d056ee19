// Routes for operators: `/healthz` (the process is alive), `/readyz` (every backend answers), `/metrics` (for Prometheus).
import pTimeout from 'p-timeout'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { toJson } from './http.ts'
import type { Route } from './router.ts'

/** Names of unavailable backends: `store`, `index`, `runs`, `model`, or `core` if the core does not answer. */
export type Readiness = () => Promise<string[]>

/** Timeout of the check in milliseconds. After it, the core counts as unavailable. */
const timeoutMs = 5_000

/** `registries`: of all metrics to show. */
export function createOperationRoutes(readiness: Readiness, registries: Registry[]): Route[] {
  const metrics = Registry.merge(registries)
  return [
    { method: 'GET', path: '/healthz', answer: () => toJson(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      isLimited: true,
      async answer() {
        const away = await pTimeout(readiness(), { milliseconds: timeoutMs, fallback: () => ['core'] })
        // Lectern works without its language model: it quotes sections.
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
        body: await metrics.metrics(),
      }),
    },
  ]
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'lectern_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Time from request to answer.',
    labelNames: ['route', 'method'],
    buckets,
    registers,
  })
  const sockets = new Gauge({ name: 'lectern_sockets_open', help: 'Open WebSockets.', registers })
  const messages = new Counter({
    name: 'lectern_socket_messages_total',
    help: 'Messages on WebSockets, by how they ended.',
    labelNames: ['stop_reason'],
    registers,
  })
  const questions = new Counter({
    name: 'lectern_questions_total',
    help: 'Questions, by whether search used their meaning, or why not.',
    labelNames: ['meaning'],
    registers,
  })

  let rateLimited = 0
  return {
    /** `route`: the pattern, not the address, to keep the number of labels small. */
    count(route: string, given: string, status: number, seconds: number) {
      if (status === 429) rateLimited += 1
      const method = methods.has(given) ? given : 'other'
      requests.inc({ route, method, status })
      duration.observe({ route, method }, seconds)
    },
    socket: (change: 1 | -1) => sockets.inc(change),
    /** Counts a message on a socket that was answered or refused. */
    message(stopReason: string) {
      if (stopReason === 'rate_limited') rateLimited += 1
      messages.inc({ stop_reason: stopReason })
    },
    rateLimited: () => rateLimited,
    /** Counts a question. `meaning`: `used`, or why search did not use its meaning. */
    question: (meaning: string) => questions.inc({ meaning }),
    registry,
  }
}
