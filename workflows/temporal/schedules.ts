// Schedules of syncs as Temporal Schedules, one a project.
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client'
import { taskQueue, workflowIds } from './names.ts'
import type { TemporalClient } from './temporal-client.ts'

/** Sets the project's schedule, five-field cron in UTC; null takes it away. */
export async function setSchedule(
  { client, ask }: TemporalClient,
  { uuid, slug }: { uuid: string; slug: string },
  cron: string | null,
): Promise<void> {
  const scheduleId = workflowIds.schedule(slug)
  const handle = client.schedule.getHandle(scheduleId)
  if (cron === null) {
    await ask(() => handle.delete()).catch(passUnknown)
    return
  }
  const content = {
    spec: { cronExpressions: toExpressions(cron) },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'scheduledSync',
      workflowId: workflowIds.scheduled(slug),
      taskQueue,
      args: [uuid],
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 minutes' as const },
  }
  try {
    await ask(() => client.schedule.create({ scheduleId, ...content, memo: { project: uuid } }))
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await ask(() => handle.update(({ state }) => ({ ...content, state })))
  }
}

/**
 * Cron lines that together come due when `cron` does: where both a day of the month and a day of the week are named, either
 * is enough, while Temporal asks for both. `0 3 1 * 1` → `0 3 1 * *`, `0 3 * * 1`.
 */
function toExpressions(cron: string): string[] {
  const [minute, hour, day, month, weekday] = cron.split(/\s+/)
  if (day === '*' || weekday === '*') return [cron]
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`]
}

function passUnknown(error: unknown) {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}
