// Checks whether the Lectern configured by this environment is ready: the health check of its container. Exits with 0 or 1,
// and prints what is unavailable. Calls a gateway over HTTP, and other roles by grpc.health.v1 (as JSON over Connect).
import { ConfigError, readConfig, toHost } from '../services/config.ts'

const timeoutMs = 8_000

async function ask(): Promise<string | null> {
  const config = readConfig(process.env)
  const signal = AbortSignal.timeout(timeoutMs)
  if (config.role === 'all' || config.role === 'gateway') {
    const answer = await fetch(`http://${toHost(config.http)}/readyz`, { signal })
    return answer.ok ? null : await answer.text()
  }
  const answer = await fetch(`http://${toHost(config.grpc)}/grpc.health.v1.Health/Check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal,
  })
  const text = await answer.text()
  return answer.ok && text.includes('"SERVING"') ? null : text
}

const fault = await ask().catch((error) =>
  error instanceof ConfigError ? error.message : `no Lectern answers: ${(error as Error).message}`,
)
if (fault !== null) {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
