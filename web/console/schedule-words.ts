// A five-field cron line in words.
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const number = /^\d+$/
const step = /^\*\/(\d+)$/

/** `0 3 * * 1` → “every Monday at 03:00”. Null if the line is too complex. */
export function describeSchedule(line: string): string | null {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = line.trim().split(/\s+/)
  const time = describeTime(minute, hour)
  const date = describeDate(day, month, weekday)
  if (time === null || date === null) return null
  return time.startsWith('every') && date === 'every day' ? time : `${date}, ${time}`.replace(', at', ' at')
}

function describeTime(minute: string, hour: string): string | null {
  const past = number.test(minute) ? Number(minute) : null
  if (hour === '*') {
    if (minute === '*') return 'every minute'
    const minutes = step.exec(minute)?.[1]
    if (minutes) return `every ${minutes} minutes`
    return past === null ? null : past === 0 ? 'every hour' : `every hour, ${past} minutes past it`
  }
  if (past === null) return null
  const hours = step.exec(hour)?.[1]
  if (hours) return `every ${hours} hours${past === 0 ? '' : `, ${past} minutes past the hour`}`
  const times = hour.split(',')
  if (!times.every((each) => number.test(each))) return null
  return `at ${join(times.map((each) => `${each.padStart(2, '0')}:${String(past).padStart(2, '0')}`))}`
}

function describeDate(day: string, month: string, weekday: string): string | null {
  if (month !== '*') return null
  if (day === '*' && weekday === '*') return 'every day'
  if (day === '*' && weekday === '1-5') return 'every weekday'
  const names = weekday.split(',').map((each) => (number.test(each) ? days[Number(each)] : undefined))
  if (day === '*' && names.every((name) => name !== undefined)) return `every ${join(names as string[])}`
  if (weekday === '*' && number.test(day)) return `on day ${day} of every month`
  return null
}

const join = (parts: string[]) =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
