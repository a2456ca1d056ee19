// Documents of a Git repository, of one branch, over https.
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
