import { expect, test } from 'vitest'
import { backendAway } from './errors.ts'
import { doubling, openPatiently, retry } from './retry.ts'

/** Fails this many times, then succeeds. `log` has attempts and pauses in order. */
function failing(times: number) {
  const log: (string | number)[] = []
  const work = async () => {
    log.push('try')
    if (log.filter((each) => each === 'try').length <= times) throw new Error(`no. ${log.length}`)
    return 'done'
  }
  return { log, work, pause: async (milliseconds: number) => log.push(milliseconds) }
}

test('waits longer each time, up to a limit', async () => {
  const { log, work, pause } = failing(4)
  expect(await retry(work, doubling(100, 500), { pause })).toBe('done')
  expect(log).toEqual(['try', 100, 'try', 200, 'try', 400, 'try', 500, 'try'])
})

test('throws the last failure when no pause is left', async () => {
  const { log, work, pause } = failing(9)
  await expect(retry(work, [1, 2], { pause })).rejects.toThrow('no. 5')
  expect(log).toEqual(['try', 1, 'try', 2, 'try'])
})

test('reports failures, and stops retrying if the callback throws', async () => {
  const { log, work, pause } = failing(9)
  const onFailure = (error: unknown) => {
    if ((error as Error).message === 'no. 3') throw new Error('refused')
  }
  await expect(retry(work, doubling(1, 1), { pause, onFailure })).rejects.toThrow('refused')
  expect(log).toEqual(['try', 1, 'try'])
})

test('ends with an abort, also during a pause', async () => {
  const leave = new AbortController()
  const { work } = failing(9)
  const waiting = retry(work, doubling(60_000, 60_000), { signal: leave.signal })
  leave.abort(new Error('left'))
  await expect(waiting).rejects.toThrow()
  await expect(retry(work, [], { signal: leave.signal })).rejects.toThrow()
})

test('retries to open while a server is unavailable, and throws any other failure', async () => {
  const failures = [backendAway('index', new Error('silent')), backendAway('store', new Error('silent'))]
  const pauses: number[] = []
  const open = async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'open'
  }
  expect(await openPatiently(open, async (milliseconds) => pauses.push(milliseconds))).toBe('open')
  expect(pauses).toEqual([250, 500])
  await expect(openPatiently(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug')
})
