// The projects that the key may see, for the choice of one. Screens that create, rename or delete one read them again.
import { createStore, type ReadonlyStore } from '../components/store.ts'
import { readAll } from './load.ts'
import type { Project } from './rows.ts'
import { may } from './session.ts'

type Choice = Pick<Project, 'slug' | 'name'>

const known = createStore<Choice[]>([])
export const projects: ReadonlyStore<Choice[]> = known

export async function readProjects(): Promise<void> {
  if (!may('projects_read')) return
  // Where it fails, the screen that is open says what is wrong.
  const all = await readAll<Project>('projects/').catch(() => null)
  if (all) known.value = all.map(({ slug, name }) => ({ slug, name }))
}
