// The projects that the key may see, for the choice of one. Screens that create, rename or delete one read them again.
import { createStore, type ReadonlyStore } from '../components/store.ts'
import type { List, Project } from './rows.ts'
import { api, may } from './session.ts'

type Choice = Pick<Project, 'slug' | 'name'>

const known = createStore<Choice[]>([])
export const projects: ReadonlyStore<Choice[]> = known

const pageSize = 100

export async function readProjects(): Promise<void> {
  if (!may('projects_read')) return
  const all: Choice[] = []
  try {
    for (;;) {
      const { count, results } = await api.get<List<Project>>('projects/', {
        limit: pageSize,
        offset: all.length,
      })
      all.push(...results)
      if (results.length === 0 || all.length >= count) break
    }
  } catch {
    // The screen that is open says what is wrong.
    return
  }
  known.value = all.map(({ slug, name }) => ({ slug, name }))
}
