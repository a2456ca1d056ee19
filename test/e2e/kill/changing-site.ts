// The site that is crawled between kills: pages with several sections. Each edition changes some, removes one page and
// restores the one removed before.
import { openSite } from '../site.ts'

export const pageCount = 40
/** Pages without links to them: only a recrawl finds them. */
export const unlistedCount = 6
const sectionCount = 5

/** Path → one sentence per section, in order. */
export type Expected = Map<string, string[]>

export async function openChangingSite() {
  const site = await openSite()
  let gone = ''

  function write(path: string, title: string, edition: number, links: string[] = []): string[] {
    const sentences = Array.from(
      { length: sectionCount },
      (_, part) => `Part ${part} of ${title} tells what edition ${edition} says.`,
    )
    const sections = sentences.map(
      (sentence, part) => `<h2 id="part${part}">Part ${part}</h2><p>${sentence}</p>`,
    )
    const list = links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')
    site.pages.set(
      path,
      `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${sections.join('')}<ul>${list}</ul></main></body></html>`,
    )
    return sentences
  }

  return {
    ...site,
    listed: Array.from({ length: pageCount }, (_, at) => `/p${at}.html`),
    unlisted: Array.from({ length: unlistedCount }, (_, at) => `/unlisted${at}.html`),
    /** Path of the page that the edition lacks. */
    gone: () => gone,
    /** Publishes the edition and returns its content. */
    publish(edition: number): Expected {
      const expected: Expected = new Map()
      const put = (path: string, title: string, of: number, links?: string[]) =>
        expected.set(path, write(path, title, of, links))
      put('/', 'Start', edition, [...this.listed, '/private/draft.html'])
      for (const [at, path] of this.listed.entries()) {
        put(path, `Page ${at}`, Math.floor((edition + at) / 3))
      }
      for (const [at, path] of this.unlisted.entries()) put(path, `Unlisted ${at}`, edition)
      gone = this.listed[edition % pageCount]!
      site.pages.delete(gone)
      expected.delete(gone)
      return expected
    },
  }
}

export type ChangingSite = Awaited<ReturnType<typeof openChangingSite>>
