import { afterEach, expect, test } from 'vitest'
import { openSupervisedThread, type SupervisedThread } from './thread.ts'

interface Api {
  double(number: number): Promise<number>
  die(): Promise<never>
  leave(): Promise<never>
  spin(): Promise<never>
}

let thread: SupervisedThread<Api>
afterEach(() => thread.close(async () => {}))

const entry = new URL('../../test/fixtures/served-thread.ts', import.meta.url)
const settings = { entry, workerData: { factor: 2 }, heartbeatTimeout: 10_000, settleTime: 0 }

test.each([
  ['throws what nobody catches', (api: Api) => api.die(), 'the thread died'],
  ['exits', (api: Api) => api.leave(), 'the thread served-thread ended with code 3'],
])('a thread that %s is reported and started again', async (_, end, cause) => {
  const reports: unknown[] = []
  const begun: number[] = []
  const again = Promise.withResolvers<void>()
  thread = await openSupervisedThread<Api>({
    ...settings,
    report: (error) => reports.push(error),
    async begin(api) {
      begun.push(await api.double(begun.length))
      if (begun.length === 2) again.resolve()
    },
  })
  await expect(end(thread.api)).rejects.toMatchObject({ reason: 'unavailable' })
  await again.promise
  expect(await thread.api.double(4)).toBe(8)
  expect(reports.map((report) => (report as Error).message)).toEqual([cause])
})

test('a thread that cannot begin makes room for another', async () => {
  const reports: string[] = []
  let tries = 0
  const begun = Promise.withResolvers<void>()
  thread = await openSupervisedThread<Api>({
    ...settings,
    report: (error) => reports.push((error as Error).message),
    async begin() {
      tries += 1
      if (tries === 1) throw new Error('the folder is locked')
      begun.resolve()
    },
  })
  await begun.promise
  expect(reports[0]).toBe('the folder is locked')
  expect(reports).toHaveLength(2)
})

test('a thread that stands still is started again at once, however early that is', async () => {
  const reports: string[] = []
  let begun = 0
  const again = Promise.withResolvers<void>()
  thread = await openSupervisedThread<Api>({
    ...settings,
    heartbeatTimeout: 1_000,
    settleTime: 1_000_000,
    report: (error) => reports.push((error as Error).message),
    async begin(api) {
      begun += 1
      await api.double(1)
      if (begun === 2) again.resolve()
    },
  })
  await expect(thread.api.spin()).rejects.toMatchObject({ reason: 'unavailable', retryAfter: 1 })
  await again.promise
  expect(await thread.api.double(4)).toBe(8)
  expect(reports).toEqual(['the thread served-thread stood still and was ended'])
})
