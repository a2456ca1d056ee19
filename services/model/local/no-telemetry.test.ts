import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const file = new URL('./no-telemetry.ts', import.meta.url)
const names = ['ORT_DISABLE_TELEMETRY', 'ORT_TELEMETRY_DISABLED']

test('the main thread turns telemetry off for the process, whatever the environment says', async () => {
  process.env.ORT_DISABLE_TELEMETRY = '0'
  await import(file.href)
  expect(names.map((name) => process.env[name])).toEqual(['1', '1'])
})

test('a worker thread does not load the runtime if the main thread has not turned telemetry off', async () => {
  const load = (env: Record<string, string>) =>
    once(new Worker(`import(${JSON.stringify(file.href)})`, { eval: true, env }), 'exit')
  await expect(load({ ORT_DISABLE_TELEMETRY: '1' })).rejects.toThrow('ORT_TELEMETRY_DISABLED is not set')
  expect(await load(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([0])
})
