// Documents of one branch of a Git repository, over https, or over http from hosts of LECTERN_CRAWL_ALLOW.
import type { SourceType } from '../source-type.ts'

export const repositoryType: SourceType = {
  identity: ({ url, options }) => (options.branch === undefined ? url : `${url}#${options.branch}`),
  credentials: { required: ['token'] },
  async open(source, tools) {
    const { createRepositoryReader } = await import('./repository-reader.ts')
    return createRepositoryReader(source, tools)
  },
  parser: async () => (await import('./repository-parser.ts')).repositoryParser,
}
