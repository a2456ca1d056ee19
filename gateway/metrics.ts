// Counts for Prometheus: requests by route, method and status, and how long they took; open sockets, and the
// messages on them by how they ended; questions by whether their meaning was searched for.

export interface Metrics {
  /** `route` is the pattern, never the address: labels must stay few. */
  count(route: string, method: string, status: number, seconds: number): void
  /** A socket has opened (1) or closed (-1). */
  socket(change: 1 | -1): void
  /** A message on a socket was answered or refused. */
  message(stopReason: string): void
  /** A question was searched for by its meaning too (`used`), or why not. */
  question(meaning: string): void
  /** Prometheus text format 0.0.4. */
  render(): string
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'])
const requests = 'lectern_http_requests_total'
const duration = 'lectern_http_request_duration_seconds'
const sockets = 'lectern_sockets_open'
const messages = 'lectern_socket_messages_total'
const questions = 'lectern_questions_total'

interface Histogram {
  /** Requests up to each bound, not added up. */
  buckets: number[]
  count: number
  sum: number
}

export function createMetrics(): Metrics {
  const totals = new Map<string, number>()
  const histograms = new Map<string, Histogram>()
  const ends = new Map<string, number>()
  const meanings = new Map<string, number>()
  let open = 0

  return {
    count(route, method, status, seconds) {
      const labels = `route="${route}",method="${methods.has(method) ? method : 'other'}"`
      const total = `${labels},status="${status}"`
      totals.set(total, (totals.get(total) ?? 0) + 1)
      const histogram = histograms.get(labels) ?? { buckets: bounds.map(() => 0), count: 0, sum: 0 }
      const at = bounds.findIndex((bound) => seconds <= bound)
      if (at >= 0) histogram.buckets[at]! += 1
      histogram.count += 1
      histogram.sum += seconds
      histograms.set(labels, histogram)
    },
    socket(change) {
      open += change
    },
    message(stopReason) {
      ends.set(stopReason, (ends.get(stopReason) ?? 0) + 1)
    },
    question(meaning) {
      meanings.set(meaning, (meanings.get(meaning) ?? 0) + 1)
    },
    render() {
      const lines = [`# HELP ${requests} Requests answered.`, `# TYPE ${requests} counter`]
      for (const [labels, total] of totals) lines.push(`${requests}{${labels}} ${total}`)
      lines.push(`# HELP ${duration} Time from request to answer.`, `# TYPE ${duration} histogram`)
      for (const [labels, histogram] of histograms) lines.push(...renderHistogram(labels, histogram))
      lines.push(`# HELP ${sockets} Open WebSockets.`, `# TYPE ${sockets} gauge`, `${sockets} ${open}`)
      lines.push(
        `# HELP ${messages} Messages on WebSockets, by how they ended.`,
        `# TYPE ${messages} counter`,
      )
      for (const [reason, total] of ends) lines.push(`${messages}{stop_reason="${reason}"} ${total}`)
      lines.push(
        `# HELP ${questions} Questions searched for: used by meaning too, else why by words alone.`,
        `# TYPE ${questions} counter`,
      )
      for (const [meaning, total] of meanings) lines.push(`${questions}{meaning="${meaning}"} ${total}`)
      return `${lines.join('\n')}\n`
    },
  }
}

function renderHistogram(labels: string, { buckets, count, sum }: Histogram): string[] {
  let below = 0
  const lines = bounds.map((bound, at) => {
    below += buckets[at]!
    return `${duration}_bucket{${labels},le="${bound}"} ${below}`
  })
  return [
    ...lines,
    `${duration}_bucket{${labels},le="+Inf"} ${count}`,
    `${duration}_sum{${labels}} ${sum}`,
    `${duration}_count{${labels}} ${count}`,
  ]
}
