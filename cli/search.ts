// `lectern search`: prints the best sections.
import { ContentScope, SearchResponseSchema } from '../gen/lectern/v1/search_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine } from './print.ts'

export async function search(
  client: CoreClient,
  slug: string,
  q: string,
  { json, limit, scope }: PrintOptions & { limit: number; scope: 'site' | 'all' },
): Promise<void> {
  const contentScope = scope === 'all' ? ContentScope.ALL : ContentScope.SITE
  const answer = await client.search.search({ slug, q, limit, contentScope, uncounted: true })
  if (json) return printJson(SearchResponseSchema, answer)
  if (answer.results.length === 0) printLine('Nothing found.')
  for (const [position, { title, pageTitle, url, fragment }] of answer.results.entries()) {
    printLine(`${position + 1}. ${title}${title === pageTitle ? '' : ` (${pageTitle})`}`)
    printLine(`   ${url}`)
    printLine(`   ${fragment.replaceAll('\n', ' ')}`)
  }
}
