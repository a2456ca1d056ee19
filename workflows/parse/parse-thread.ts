// Entry of a parse thread: the tasks that the parse pool may ask for. A page that fails for its own sake has an outcome too:
// a task rejects only where the thread is lost.
import * as tasks from './parse-page.ts'

export type Outcome<Value> = { value: Value } | { fault: unknown }

export const parsePage = toOutcome(tasks.parsePage)
export const unitsOf = toOutcome(tasks.unitsOf)

function toOutcome<Task, Value>(work: (task: Task) => Value): (task: Task) => Outcome<Value> {
  return (task) => {
    try {
      return { value: work(task) }
    } catch (fault) {
      return { fault }
    }
  }
}
