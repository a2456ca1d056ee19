// The name of a project that was made from an address: the host of its site until a run has read the site's title.
import { cutText } from '../crawler/extract/page.ts'
import type { Store } from '../services/store/store.ts'

/** Characters of a project's name. */
const maxName = 200

interface StartPage {
  /** The start address of the source. */
  start: string
  title: string
}

/** Names the project by its site's title, while its name still is the host of the start address. */
export async function nameProject(
  store: Store,
  uuid: string,
  { start, title }: StartPage,
  now: () => Date,
): Promise<void> {
  const name = cutText(title.replace(/\p{Cc}/gu, '').trim(), maxName)
  const project = await store.projects.byUuid(uuid)
  if (project === null || name === '' || project.name !== new URL(start).host) return
  // A concurrent change wins: the next run tries again.
  await store.projects.update({
    ...project,
    name,
    updatedAt: now().toISOString(),
    revision: project.revision + 1,
  })
}
