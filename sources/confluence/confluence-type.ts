// Pages of a Confluence space, of Cloud or Data Center.
import type { SourceType } from '../source-type.ts'
import { toBase } from './editions.ts'

export const confluenceType: SourceType = {
  identity: ({ url, options }) => `${toBase(url)}#${options.spaceKey}`,
  credentials: { required: ['token'], optional: ['email'] },
  async open(source, tools) {
    const { createConfluenceReader } = await import('./confluence-reader.ts')
    return createConfluenceReader(source, tools)
  },
  parser: async () => (await import('./confluence-parser.ts')).confluenceParser,
}
