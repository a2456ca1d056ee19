// A page of a test's site that answers only on demand, to observe a run in the middle of its work.
import { htmlPage, type Site } from '../e2e/site.ts'

export interface HeldPage {
  /** Resolves when the page is requested. */
  asked: Promise<void>
  /** Lets it answer, now and from now on. */
  release(): void
}

export function holdPage(site: Site, path: string, text = `Words of ${path}.`): HeldPage {
  const asked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  site.pages.set(path, async (_, response) => {
    asked.resolve()
    await release.promise
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(htmlPage(path, text))
  })
  return { asked: asked.promise, release: release.resolve }
}

/** Writes a start page that links to pages with these names, each with a different text. */
export function writePages(site: Site, names: string[], text = 'Words of'): void {
  const links = names.map((name) => `/${name}`)
  site.pages.set('/', htmlPage('Start', 'Where to begin.', links))
  for (const name of names) site.pages.set(`/${name}`, htmlPage(name, `${text} ${name}.`))
}
