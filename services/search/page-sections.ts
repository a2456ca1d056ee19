// Sections of indexed pages, whether each is embedded, and the pages that link to an address. Searches run between two pages.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SearchIndex } from '../index/search-index.ts'
import { toUnitTexts } from '../index/unit-texts.ts'
import { indexedSections } from '../index/units.ts'
import { type Page, toFolder } from '../store/page.ts'
import type { Store } from '../store/store.ts'
import { findByMeaning, type QuestionVectors } from './meaning.ts'

export interface PageSection {
  title: string
  anchor: string | null
  characters: number
  embedded: boolean
}

interface PageSectionsDeps {
  store: Pick<Store, 'pages' | 'sources'>
  index: Pick<SearchIndex, 'findByVector'>
  questionVectors: QuestionVectors
}

/** Any text works: its vector finds every unit that has a vector. */
const anyText = 'documentation'
const vectorTimeout = 1_000
/** Maximum ids per query of the index. */
const maxIds = 1_000
/** Maximum pages to search for links to an address. */
const maxCandidates = 200
const maxLinking = 20

export function createPageSections({ store, index, questionVectors }: PageSectionsDeps) {
  /** The units that have a vector of the current model. */
  async function embeddedAmong(project: string, ids: string[]): Promise<Set<string>> {
    const { vector } = await questionVectors.of(anyText, vectorTimeout)
    const found = new Set<string>()
    if (vector === null) return found
    for (let at = 0; at < ids.length; at += maxIds) {
      const among = ids.slice(at, at + maxIds)
      const hits = await findByMeaning(index, project, { ...vector, among, limit: maxIds })
      for (const { unit } of hits) found.add(unit.id)
    }
    return found
  }

  async function readSections({ uuid, version, title }: Page) {
    const content = await store.pages.content(uuid)
    let units = 0
    return indexedSections(content ?? { title, sections: [] }).map(({ heading, anchor, blocks }) => ({
      title: heading || title,
      anchor,
      characters: blocks.reduce((sum, { text }) => sum + text.length, 0),
      ids: toUnitTexts(blocks).map(() => `${uuid}:${version}:${units++}`),
    }))
  }

  return {
    /** Sections of each page, in the order of `uuids`. Empty for an unknown page. */
    async pageSections(project: string, uuids: string[]): Promise<PageSection[][]> {
      const lists: Awaited<ReturnType<typeof readSections>>[] = []
      for (const page of await store.pages.byUuids(uuids)) {
        lists.push(page?.project === project ? await readSections(page) : [])
        await nextTurn()
      }
      const ids = lists.flat().flatMap((section) => section.ids)
      const embedded = await embeddedAmong(project, ids)
      return lists.map((sections) =>
        sections.map(({ ids, ...section }) => ({
          ...section,
          embedded: ids.every((id) => embedded.has(id)),
        })),
      )
    },

    /**
     * At most 20 pages that link to the address. Links are not indexed, so it reads only the first 200 pages of the same folder
     * and the start pages of the sources.
     */
    async linkedFrom(project: string, url: string): Promise<string[]> {
      const sources = await store.sources.all(project)
      const starts = sources.flatMap(({ url, resolvedUrl }) => [url, ...(resolvedUrl ? [resolvedUrl] : [])])
      const pages = [
        ...(await store.pages.byUrls(project, starts)),
        ...(await store.pages.inFolder(project, toFolder(url), maxCandidates)),
      ]
      const found = new Map(pages.flatMap((page) => (page === null ? [] : [[page.url, page.uuid]])))
      found.delete(url)
      const linking: string[] = []
      for (const [from, uuid] of found) {
        if ((await store.pages.content(uuid))?.links.includes(url)) linking.push(from)
        if (linking.length === maxLinking) break
        await nextTurn()
      }
      return linking
    },
  }
}
