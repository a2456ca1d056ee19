// The projects that the key may see, to choose from. Screens that create, rename or delete one reload them.
import { createStore, type ReadonlyStore } from '../components/store.ts'
import { readAll } from './load.ts'
import type { Project } from './rows.ts'
import { may } from './session.ts'

type Choice = Pick<Project, 'slug' | 'name'>

const known = createStore<Choice[]>([])
export const projects: ReadonlyStore<Choice[]> = known

export async function readProjects(): Promise<void> {
  if (!may('projects_read')) return
  // The open screen reports a failure.
  const all = await readAll<Project>('projects/').catch(() => null)
  if (all) known.value = all.map(({ slug, name }) => ({ slug, name }))
}
