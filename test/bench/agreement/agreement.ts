// How closely the two drivers of the index port agree on both manuals: every labelled query through the whole of search.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSegmentIndex } from '../../../services/index/segments/segment-index.ts'
import { openWeaviateIndex } from '../../../services/index/weaviate/weaviate-index.ts'
import { openWeaviate } from '../../servers/weaviate.ts'
import type { BenchOptions } from '../bench-options.ts'
import type { QueryClass } from '../quality/engine.ts'
import { readQueries } from '../quality/queries.ts'
import type { Table } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { compare, openSearch } from './compare.ts'
import { readManualUnits, toPath } from './manual-units.ts'

const classes: QueryClass[] = ['terms', 'prefixes', 'typing errors', 'questions']
const project = 'f1b9c6a0-52c1-4a5e-9d61-0c8f3a7e4b21'
const addedAtOnce = 500

export async function measureAgreement({ closing }: BenchOptions): Promise<Table[]> {
  const rows: Table['rows'] = []
  for (const manual of largeManuals) rows.push(...(await measureManual(manual, closing)))
  return [{ title: 'Agreement: the embedded index and Weaviate, the same units and queries', rows }]
}

async function measureManual(manual: Manual, closing: boolean): Promise<Table['rows']> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-agreement-'))
  const weaviate = await openWeaviate()
  const embedded = await openSegmentIndex(folder)
  const production = await openWeaviateIndex({ url: weaviate.url, grpc: weaviate.grpc, key: null })
  try {
    const units = readManualUnits(manual)
    for (const index of [embedded, production]) {
      for (let at = 0; at < units.length; at += addedAtOnce)
        await index.add(project, units.slice(at, at + addedAtOnce))
    }
    const searches = [await openSearch(embedded, project), await openSearch(production, project)] as const
    const queries = readQueries(manual).filter((query) => closing || query.isTuning)
    const rows: Table['rows'] = []
    for (const kind of classes) {
      const some = queries.filter((query) => query.class === kind)
      const { hits, sameFirst, overlap } = await compare([...searches], some, (url) => toPath(manual, url))
      rows.push({
        manual: manual.name,
        sections: units.length,
        class: kind,
        queries: some.length,
        'hit@1 embedded': hits[0],
        'hit@1 Weaviate': hits[1],
        'same first': sameFirst,
        'overlap@10': overlap,
      })
    }
    return rows
  } finally {
    await embedded.close()
    await production.close()
    await weaviate.remove()
    await rm(folder, { recursive: true })
  }
}
