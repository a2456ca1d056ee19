// What of a body counts while it comes: what is allocated for it, until it is taken, dropped, or its client is gone.
import { expect, it } from 'vitest'
import { bodyLimits, collectBody, createBodies, createQuota } from './body.ts'

const maxBody = bodyLimits.withKey.max

function openBody(contentLength: number | null = null, maxByNetwork = 8 * maxBody) {
  const quota = createQuota({ max: 8 * maxBody, maxByNetwork })
  const client = new AbortController()
  let send: (chunk: ArrayBuffer, isLast: boolean) => void = () => {}
  const body = collectBody({
    onData: (listener) => {
      send = listener
    },
    contentLength,
    max: maxBody,
    quota,
    network: 'n',
    signal: client.signal,
  })
  return { body, quota, client, send: (text: string, isLast = false) => send(toBuffer(text), isLast) }
}

function toBuffer(text: string): ArrayBuffer {
  return new TextEncoder().encode(text).buffer as ArrayBuffer
}

it('is whole in the end, and counts until it is taken', async () => {
  const { body, quota, send } = openBody()
  for (const letter of 'abc'.repeat(1_000)) send(letter)
  // A byte a segment costs no more than the bytes, within a factor of two.
  expect(quota.used()).toBeGreaterThanOrEqual(3_000)
  expect(quota.used()).toBeLessThanOrEqual(6_000)
  send('', true)
  expect(new TextDecoder().decode(await body.take())).toBe('abc'.repeat(1_000))
  expect(quota.used()).toBe(0)
})

it.each<[string, (opened: ReturnType<typeof openBody>) => void]>([
  ['dropped', ({ body }) => body.drop()],
  ['left by its client', ({ client }) => client.abort()],
  ['too large', ({ send }) => send('x'.repeat(maxBody))],
])('counts no more when it is %s, whatever still comes', (_, end) => {
  const opened = openBody()
  opened.send('x'.repeat(10_000))
  expect(opened.quota.used()).toBeGreaterThan(0)
  end(opened)
  expect(opened.quota.used()).toBe(0)
  opened.send('x'.repeat(10_000), true)
  expect(opened.quota.used()).toBe(0)
})

it('is refused where its network holds too much', async () => {
  const { body, quota, send } = openBody(null, 50_000)
  send('x'.repeat(50_001))
  await expect(body.take()).rejects.toMatchObject({ reason: 'rate_limited' })
  expect(quota.used()).toBe(0)
})

it('is cut off where much more would come', () => {
  expect(openBody(maxBody).body.isEndless()).toBe(false)
  expect(openBody(2 ** 40).body.isEndless()).toBe(true)
  const chunked = openBody(null)
  expect(chunked.body.isEndless()).toBe(true)
  chunked.send('x', true)
  expect(chunked.body.isEndless()).toBe(false)
})

it('that is small is taken whatever larger ones hold', async () => {
  const bodies = createBodies('/nowhere')
  function begin(at: number, size: number, isLast: boolean) {
    const { promise, resolve } = Promise.withResolvers<(chunk: ArrayBuffer, isLast: boolean) => void>()
    const body = bodies.collect('withKey', {
      onData: resolve,
      contentLength: size,
      network: `n${at}`,
      signal: new AbortController().signal,
    })
    promise.then((listener) => listener(new Uint8Array(isLast ? size : size - 1).buffer, isLast))
    return body
  }
  const large = Array.from({ length: 32 }, (_, at) => begin(at, maxBody, false))
  await expect(begin(40, 16 * 1024 + 1, true).take()).rejects.toMatchObject({ reason: 'unavailable' })
  expect((await begin(41, 16 * 1024, true).take()).length).toBe(16 * 1024)
  large[0]!.drop()
  expect((await begin(42, 16 * 1024 + 1, true).take()).length).toBe(16 * 1024 + 1)
})
