// How well pages answer queries: hit@1, hit@5 and the mean reciprocal rank within ten, page by page.
import { mean } from '../statistics.ts'
import type { Query } from './engine.ts'

export type Score = { 'hit@1': number; 'hit@5': number; 'MRR@10': number }

export async function judge(
  queries: Query[],
  find: (query: string) => string[] | Promise<string[]>,
): Promise<Score> {
  const ranks: number[] = []
  for (const { text, pages } of queries) {
    const found = [...new Set(await find(text))].slice(0, 10)
    ranks.push(found.findIndex((page) => pages.has(page)) + 1)
  }
  return {
    'hit@1': mean(ranks.map((rank) => (rank === 1 ? 1 : 0))),
    'hit@5': mean(ranks.map((rank) => (rank >= 1 && rank <= 5 ? 1 : 0))),
    'MRR@10': mean(ranks.map((rank) => (rank >= 1 ? 1 / rank : 0))),
  }
}
