// Keeps one page from filling the answer.
import type { Ranked } from './rank.ts'

const mostOfPage = 3

/** The first `limit`, a page at most three times, a section once; more often where its parts are wanted. */
export function groupByPage(ranked: Ranked[], limit: number, mostOfSection = 1): Ranked[] {
  const ofPage = new Map<string, number>()
  const ofSection = new Map<string, number>()
  const chosen: Ranked[] = []
  for (const entry of ranked) {
    const { page, anchor, heading } = entry.hit.unit
    const shown = ofPage.get(page) ?? 0
    const section = `${page} ${anchor ?? heading}`
    const parts = ofSection.get(section) ?? 0
    if (shown >= mostOfPage || parts >= mostOfSection) continue
    ofPage.set(page, shown + 1)
    ofSection.set(section, parts + 1)
    chosen.push(entry)
    if (chosen.length === limit) break
  }
  return chosen
}
