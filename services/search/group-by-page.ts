// Keeps one page from filling the answer.
import type { Ranked } from './rank.ts'

const mostOfPage = 3

/** The first `limit`, a page at most three times, a section once. */
export function groupByPage(ranked: Ranked[], limit: number): Ranked[] {
  const ofPage = new Map<string, number>()
  const sections = new Set<string>()
  const chosen: Ranked[] = []
  for (const entry of ranked) {
    const { page, anchor, heading } = entry.hit.unit
    const shown = ofPage.get(page) ?? 0
    const section = `${page} ${anchor ?? heading}`
    if (shown >= mostOfPage || sections.has(section)) continue
    ofPage.set(page, shown + 1)
    sections.add(section)
    chosen.push(entry)
    if (chosen.length === limit) break
  }
  return chosen
}
