import { expect, test } from 'vitest'
import type { AddressStanding } from '../../gen/lectern/v1/limit_pb.js'
import { createBlockedNetworks } from './blocked-networks.ts'

const standing = (network: string, blockedSeconds: number) => ({ network, blockedSeconds }) as AddressStanding

function openLab() {
  const lab = {
    now: 1_000,
    /** Returned by the core. */
    listed: [] as AddressStanding[] | null,
    asked: [] as number[],
    logged: [] as string[],
  }
  const networks = createBlockedNetworks({
    list: async (minSeconds) => {
      lab.asked.push(minSeconds)
      return lab.listed
    },
    whenBlocked: (network) => lab.logged.push(network),
    now: () => lab.now,
  })
  return { lab, networks }
}

test('blocks a network for as long as the core says', () => {
  const { lab, networks } = openLab()
  networks.block(standing('n1', 60))
  expect(['n1', 'n2'].map(networks.secondsLeft)).toEqual([60, 0])
  lab.now += 59_500
  expect(networks.secondsLeft('n1')).toBe(1)
  lab.now += 500
  expect(networks.secondsLeft('n1')).toBe(0)
})

test("applies the core's list, and reports each block once", async () => {
  const { lab, networks } = openLab()
  lab.listed = [standing('n2', 3_600), standing('n1', 60)]
  await networks.refresh()
  await networks.refresh()
  expect(['n1', 'n2'].map(networks.secondsLeft)).toEqual([60, 3_600])
  expect(lab.logged).toEqual(['n1', 'n2'])
})

test('requests the complete list at first and after a long silence, else what is new', async () => {
  const { lab, networks } = openLab()
  lab.listed = null
  await networks.refresh()
  lab.listed = []
  for (const passed of [0, 1_000, 1_000, 300_000, 1_000]) {
    lab.now += passed
    await networks.refresh()
  }
  expect(lab.asked).toEqual([0, 0, 3_000, 3_000, 0, 3_000])
})

test('drops the oldest block first', () => {
  const { networks } = openLab()
  for (let n = 0; n <= 10_000; n++) networks.block(standing(`n${n}`, 60))
  expect(['n0', 'n1', 'n10000'].map(networks.secondsLeft)).toEqual([0, 60, 60])
})
