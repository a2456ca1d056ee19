// Resident memory of a running Lectern before, during and after 7,500 recrawls of one project, sent as fast as it takes them.
import { setTimeout as delay } from 'node:timers/promises'
import { htmlPage, openSite } from '../e2e/site.ts'
import { addProject, openLectern, sync } from './lectern.ts'
import { readResident } from './memory.ts'
import { type Table, toTarget } from './report.ts'

const recrawls = 7_500
/** More than a project may have of live recrawls. */
const pages = 1_200
/** Calls that are sent at once. */
const atOnce = 100
const slug = 'recrawled'

export async function measureRecrawls(): Promise<Table[]> {
  const paths = Array.from({ length: pages }, (_, at) => `/page-${at}.html`)
  const site = await openSite({ '/': htmlPage('Start', 'Where to begin.', paths) })
  for (const path of paths) site.pages.set(path, htmlPage(path, `Words of ${path}.`))
  const lectern = await openLectern()
  const path = `/api/v2/projects/${slug}/recrawl/`
  try {
    await addProject(lectern, slug, { url: site.url })
    await sync(lectern, slug)
    const before = await readResident(lectern)
    const start = performance.now()
    const uuids = new Set<string>()
    let [highest, refused] = [before, 0]
    const recrawl = async (at: number) => {
      const url = new URL(paths[at % pages]!, site.url).href
      const answer = await lectern.call('POST', path, { url })
      if (answer.status === 202) uuids.add(answer.body.uuid)
      else if (answer.status === 429) refused += 1
      else throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    for (let at = 0; uuids.size < recrawls; at += atOnce) {
      const before429 = refused
      await Promise.all(Array.from({ length: atOnce }, (_, next) => recrawl(at + next)))
      if (refused > before429) await delay(500)
      highest = Math.max(highest, await readResident(lectern))
    }
    const last = [...uuids].at(-1)!
    while (['queued', 'running'].includes((await lectern.call('GET', `${path}${last}/`)).body.status)) {
      highest = Math.max(highest, await readResident(lectern))
      await delay(100)
    }
    const seconds = (performance.now() - start) / 1_000
    const after = await readResident(lectern)
    return [
      {
        title: `${recrawls} recrawls of ${pages} pages: MB of 2^20 bytes`,
        rows: [{ before, highest, after, seconds, 'answers 429': refused }],
      },
      {
        title: 'Recrawls: targets',
        rows: [toTarget(`MB more after ${recrawls} recrawls`, after - before, '≤', 50)],
      },
    ]
  } finally {
    await lectern.remove()
    await site.close()
  }
}
