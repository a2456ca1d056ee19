// A gateway with a remote core, as with LECTERN_CORE_URL: the same responses, and 503 while the core is unavailable.
import { expect, it, onTestFinished } from 'vitest'
import { createCoreTransport } from '../../app/gateway.ts'
import type { Implementation } from '../../services/routes.ts'
import { openCoreServer } from '../../services/server/core-server.ts'
import { openTestGateway } from './gateway/lectern-gateway.ts'

/** The core behind a gateway, on its own port, and another gateway in front of it. */
async function openRemoteCore(implementation?: Implementation) {
  const inner = await openTestGateway({}, implementation && { implementation })
  const core = await openCoreServer(inner.core, { address: { host: '127.0.0.1', port: 0 }, backends: {} })
  const transport = createCoreTransport([`http://127.0.0.1:${core.port}`])
  const gateway = await openTestGateway({ transport })
  onTestFinished(async () => {
    await gateway.close()
    transport.close()
    await core.close()
    await inner.close()
  })
  return { core, gateway, headers: { authorization: inner.authorization } }
}

it('forwards to a core over HTTP, and returns 503 when it is gone', async () => {
  const { core, gateway, headers } = await openRemoteCore()
  const ask = (path: string) => gateway.ask('GET', `/api/v2/projects/${path}`, undefined, headers)

  const found = (await (await ask('open/search/?q=x')).json()) as { results: { fragment: string }[] }
  expect(JSON.parse(found.results[0]!.fragment)).toMatchObject({ address: '127.0.0.1', signed: true })
  expect(await (await ask('none/')).json()).toMatchObject({ code: 'not_found' })
  expect((await ask('open/analytics/chat/')).status).toBe(501)

  await core.close()
  const away = await ask('open/')
  expect([away.status, await away.json()]).toEqual([
    503,
    { error: 'Lectern is temporarily unavailable. Try again in a moment.', code: 'unavailable' },
  ])
  expect(away.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(gateway.logged).toEqual([])
})

it('streams from a core over HTTP, and cancels the call when the reader disconnects', async () => {
  const left = Promise.withResolvers<void>()
  const { gateway, headers } = await openRemoteCore({
    sync: {
      async *watchSync(_request, { signal }) {
        yield { url: 'https://docs.test/a' }
        signal.addEventListener('abort', () => left.resolve())
        await left.promise
      },
    },
  })
  const leaving = new AbortController()
  const path = `${gateway.url}/api/v2/projects/open/sync/r1/watch/`
  const { body } = await fetch(path, { headers, signal: leaving.signal })
  const first = await body!.getReader().read()
  expect(new TextDecoder().decode(first.value)).toContain('"url":"https://docs.test/a"')
  leaving.abort()
  await left.promise
})
