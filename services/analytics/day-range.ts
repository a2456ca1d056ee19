// The range of days that an analytics request asks for: `YYYY-MM-DD` in UTC, both included.
import { invalidField } from '../errors.ts'

/** The range where none is given: today and the 29 days before. */
const defaultDays = 30
const maxDays = 366
const dayMs = 86_400_000

export interface DayRange {
  startDate: string
  endDate: string
  /** Every day of it, in order. */
  days: string[]
}

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

export function readDayRange(
  request: { startDate?: string | undefined; endDate?: string | undefined },
  now: Date,
): DayRange {
  const end = readDay('end_date', request.endDate ?? toDay(now.getTime()))
  const start =
    request.startDate === undefined
      ? end - (defaultDays - 1) * dayMs
      : readDay('start_date', request.startDate)
  if (start > end) throw invalidField('start_date', `must not be after end_date, ${toDay(end)}`)
  const count = (end - start) / dayMs + 1
  if (count > maxDays)
    throw invalidField('start_date', `must be at most ${maxDays} days before the end, both days counted`)
  const days = Array.from({ length: count }, (_, n) => toDay(start + n * dayMs))
  return { startDate: toDay(start), endDate: toDay(end), days }
}

/** The contract has judged the form; here the day must be in the calendar. */
function readDay(field: string, text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time) || toDay(time) !== text)
    throw invalidField(field, 'must be a date such as 2026-01-31')
  return time
}
