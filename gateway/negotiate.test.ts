// What is compressed, beside what a client accepts.
import { expect, it } from 'vitest'
import type { Answer } from './http.ts'
import { compress } from './negotiate.ts'

const body = 'data: more of the same\n\n'.repeat(100)
const answer = (headers: Record<string, string>): Answer => ({ status: 200, headers, body })

it('an event stream is not compressed', async () => {
  const events = answer({ 'content-type': 'text/event-stream' })
  expect(await compress(events, 'gzip')).toBe(events)
})

it('a body that is encoded is not compressed again', async () => {
  const encoded = answer({ 'content-type': 'text/plain', 'content-encoding': 'zstd' })
  expect(await compress(encoded, 'gzip')).toBe(encoded)
})

it('Vary names what was there before too', async () => {
  const csv = answer({ 'content-type': 'text/csv; charset=utf-8', vary: 'accept' })
  expect((await compress(csv, 'gzip')).headers).toMatchObject({
    vary: 'accept, accept-encoding',
    'content-encoding': 'gzip',
  })
})

it('a file is compressed once for all its readers', async () => {
  const file = { ...answer({ 'content-type': 'text/css' }), encoded: new Map() }
  const bodies = await Promise.all(['br', 'gzip, br', 'gzip', 'gzip'].map((each) => compress(file, each)))
  expect(bodies[0]!.body).toBe(bodies[1]!.body)
  expect(bodies[2]!.body).toBe(bodies[3]!.body)
  expect([...file.encoded.keys()]).toEqual(['br', 'gzip'])
})
