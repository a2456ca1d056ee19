// The schedule of syncs: common choices, the cron line, and its meaning.
import { ChoiceField, TextField } from '../parts/form.tsx'
import { findNextTimes } from '../schedule.ts'
import { describeSchedule } from '../schedule-words.ts'

const common = [
  ['', 'never: you start each sync'],
  ['0 * * * *', 'every hour'],
  ['0 3 * * *', 'every night at 03:00'],
  ['0 3 * * 1-5', 'every weekday at 03:00'],
  ['0 3 * * 1', 'every Monday at 03:00'],
] as const

interface ScheduleProps {
  name: string
  label: string
  value: string
  onChange(value: string): void
}

export function ScheduleField(field: ScheduleProps) {
  const { value, onChange } = field
  const isCommon = common.some(([line]) => line === value)
  const options = isCommon ? common : ([...common, [value, 'by another cron line']] as const)
  return (
    <>
      <ChoiceField
        name="schedule-choice"
        label="A sync starts"
        value={value}
        options={options}
        onChange={onChange}
      />
      <TextField
        {...field}
        placeholder="0 3 * * *"
        hint="A cron line in UTC with five fields: minute, hour, day of the month, month, day of the week."
      />
      <Meaning line={value} />
    </>
  )
}

const utc = new Intl.DateTimeFormat('en', {
  ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  ...{ hourCycle: 'h23', timeZone: 'UTC' },
})
const local = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const isElsewhere = (time: Date) => time.getTimezoneOffset() !== 0

function Meaning({ line }: { line: string }) {
  if (line.trim() === '') return null
  const times = findNextTimes(line)
  if (times === null) return <p class="quiet">This is not a complete schedule.</p>
  const words = describeSchedule(line)
  return (
    <div class="quiet" role="status">
      {words && <p>A sync starts {words} (UTC).</p>}
      {times.length === 0 ? (
        <p>It never runs.</p>
      ) : (
        <>
          <p>The next times:</p>
          <ol class="addresses">
            {times.map((time) => (
              <li key={time.getTime()}>
                <time dateTime={time.toISOString()}>
                  {utc.format(time)} UTC{isElsewhere(time) && ` (${local.format(time)} here)`}
                </time>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
