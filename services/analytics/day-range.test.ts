import { expect, it } from 'vitest'
import { readDayRange } from './analytics-service.ts'

const now = new Date('2026-03-01T00:00:00.000Z')
const ends = (startDate?: string, endDate?: string) => {
  const range = readDayRange({ startDate, endDate }, now)
  return [range.startDate, range.endDate, range.days.length]
}

it('covers today and the 29 days before by default', () => {
  expect(ends()).toEqual(['2026-01-31', '2026-03-01', 30])
})

it('includes both ends, and every day between', () => {
  expect(ends('2026-02-28', '2026-03-01')).toEqual(['2026-02-28', '2026-03-01', 2])
  expect(readDayRange({ startDate: '2024-02-28', endDate: '2024-03-01' }, now).days).toEqual([
    '2024-02-28',
    '2024-02-29',
    '2024-03-01',
  ])
})

it('ends today, or starts 29 days before its end, if one is omitted', () => {
  expect(ends('2026-02-27')).toEqual(['2026-02-27', '2026-03-01', 3])
  expect(ends(undefined, '2026-01-30')).toEqual(['2026-01-01', '2026-01-30', 30])
})

it('covers at most 366 days', () => {
  expect(ends('2024-01-01', '2024-12-31')).toEqual(['2024-01-01', '2024-12-31', 366])
  expect(() => ends('2023-12-31', '2024-12-31')).toThrow('start_date: must be at most 366 days')
})

it.each([
  ['2026-02-30', undefined, 'start_date: must be a date such as 2026-01-31'],
  [undefined, '2025-02-29', 'end_date: must be a date such as 2026-01-31'],
  ['2026-03-02', '2026-03-01', 'start_date: must not be after end_date, 2026-03-01'],
  ['2026-03-02', undefined, 'start_date: must not be after end_date, 2026-03-01'],
])('rejects %s to %s', (start, end, sentence) => {
  expect(() => ends(start, end)).toThrow(sentence)
})
