// Explains in sentences why an address is in the index or not, and how each source treats it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PageSection } from '../search/page-sections.ts'
import { readScope } from '../source/source-scope.ts'
import type { Address } from '../store/address.ts'
import type { Page } from '../store/page.ts'
import type { Source } from '../store/source.ts'
import type { Store } from '../store/store.ts'

export function explain(
  { status, at, reason, message }: Address,
  page: Page | null,
  sections: PageSection[],
): string {
  if (status === 'pending') return 'The sync in progress has found the address and has not read it yet.'
  if (at === null) {
    const embedded = sections.filter((section) => section.embedded).length
    const size = `${sections.length} ${sections.length === 1 ? 'section' : 'sections'}`
    return `The page is in the index with ${size}, of which ${embedded} ${embedded === 1 ? 'is' : 'are'} embedded.`
  }
  const outcome = status === 'failed' ? 'Could not be read' : 'Skipped'
  const stays =
    page === null
      ? ''
      : ` The index still has the version that was fetched on ${page.fetchedAt.slice(0, 10)}.`
  return `${outcome} on ${at.slice(0, 10)} (${reason}): ${withPeriod(message ?? '')}${stays}`
}

const withPeriod = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

/** How each source judges the address. Yields to the event loop after each source, because globs are slow to compile. */
export async function judge(sources: Source[], url: string) {
  const verdicts = []
  for (const source of sources) {
    verdicts.push({ source, ...(readScope(source)?.judge(url) ?? { verdict: 'out', glob: null }) })
    await nextTurn()
  }
  return verdicts
}

/** Explains why no run has found the address. */
export async function explainUnknown(
  { runs }: Pick<Store, 'runs'>,
  verdicts: Awaited<ReturnType<typeof judge>>,
  linkedFrom: string[],
): Promise<string> {
  const project = verdicts[0]?.source.project
  if (project === undefined) return 'The project has no sources.'
  const taking = verdicts.find(({ verdict }) => verdict === 'in')?.source
  if (taking !== undefined) {
    const run = await runs.latest(project)
    if (run === null) return `The source “${taking.name}” covers the address. The project was never synced.`
    if (linkedFrom.length > 0)
      return `The source “${taking.name}” covers the address, and an indexed page links to it. The next sync reads it.`
    const how =
      taking.type === 'sitemap' ? 'its sitemap does not list it' : 'no page that was read links to it'
    return `The source “${taking.name}” covers the address, but ${how}.`
  }
  const excluding = verdicts.find(({ verdict }) => verdict === 'excluded')?.source
  if (excluding !== undefined)
    return `The include and exclude globs of the source “${excluding.name}” leave the address out.`
  return 'No source of the project covers the address.'
}

const typeRules: Partial<Record<Source['type'], string>> = {
  url: 'It is the address of the source.',
  site: 'It lies below the start address.',
  sitemap: 'The source takes every page that its sitemap lists.',
}

/** Sources that cover the address, or list the page. */
export function findCoveringSources(verdicts: Awaited<ReturnType<typeof judge>>, page: Page | null) {
  return verdicts.flatMap(({ source: { uuid, name, type }, verdict, glob }) => {
    if (verdict === 'excluded') {
      const rule = glob === null ? 'No include glob matches.' : `The exclude glob ${glob} matches.`
      return [{ uuid, name, verdict: 'excluded', rule }]
    }
    if (verdict === 'out' && !page?.sources.includes(uuid)) return []
    const rule =
      glob === null
        ? (typeRules[type] ?? 'It is a document of the source.')
        : `The include glob ${glob} matches.`
    return [{ uuid, name, verdict: 'taken', rule }]
  })
}
