// The table of endpoints in manual/coming-from-v1.md matches the two tables of REST.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { freeFields, type RestRow } from '../../gateway/rest-row.ts'
import { restV1 } from '../../gateway/rest-v1.ts'
import { restV2 } from '../../gateway/rest-v2.ts'
import { SourceService } from '../../gen/lectern/v1/source_pb.js'

const { createSource, uploadSources } = SourceService.method

const namesOf = (row: RestRow) => freeFields(row).map(({ name }) => name)
const statusOf = ({ status, also }: RestRow) => (also ? `${status}, ${also.status}` : String(status))
const addressOf = ({ method, path }: RestRow) => `\`${method} ${path}\``

function toLine(old: RestRow): string {
  const call = old.call === uploadSources ? createSource : old.call
  const row = restV2.find((candidate) => candidate.call === call)!
  const known = new Set([...namesOf(old), ...Object.values(old.renamed ?? {})])
  const more = call === old.call ? namesOf(row).filter((name) => !known.has(name)) : []
  const shown = more.map((name) => `\`${name}\``).join(', ')
  return `| ${[addressOf(old), addressOf(row), statusOf(old), statusOf(row), shown].join(' | ')} |`
}

it('names every endpoint of v1, its replacement, and their statuses', () => {
  const text = readFileSync(new URL('../../manual/coming-from-v1.md', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.includes('/api/v1/') && line.startsWith('| `'))
  expect(lines).toEqual(restV1.map(toLine))
})
