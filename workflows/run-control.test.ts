import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newVersion } from './run-control.ts'

test('versions grow, whatever the clock does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2200-01-01') })),
      (times) => {
        const versions = times.map(newVersion)
        expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
        expect(versions.every(Number.isSafeInteger)).toBe(true)
      },
    ),
  )
})
