// The full check of a data folder that no process has open: integrity, and store and index page by page.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openIndex, openStore } from '../../services/main/drivers.ts'

const atOnce = 500

/** What is wrong, a sentence each; nothing where all is well. */
export async function disagreements(data: string, projects: string[]): Promise<string[]> {
  const problems: string[] = []
  const database = new DatabaseSync(join(data, 'lectern.db'))
  const [row] = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  if (row?.integrity_check !== 'ok') problems.push(`integrity_check: ${row?.integrity_check}`)
  database.close()

  const store = await openStore({ data })
  const index = await openIndex({ data })
  for (const project of projects) {
    const units = new Map<string, number>()
    for await (const { page, version, units: count } of index.versions(project))
      units.set(`${page}:${version}`, count)
    for (let after: string | null = null, full = true; full; ) {
      const pages = await store.pages.scan(project, after, atOnce)
      for (const { uuid, version, url } of pages) {
        const content = await store.pages.content(uuid)
        if (content === null) problems.push(`${url}: the page has no text`)
        if (!units.get(`${uuid}:${version}`))
          problems.push(`${url}: its version ${version} has no units in the index`)
      }
      full = pages.length === atOnce
      after = pages.at(-1)?.uuid ?? null
    }
  }
  await index.close()
  await store.close()
  return problems
}
