// The contract of the index port on the embedded index.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSegmentIndex } from '../../services/index/segments/segment-index.ts'
import { cases, searchIndexSuite } from './search-index.suite.ts'
import { vectorCases } from './search-index-vectors.suite.ts'

const folder = await mkdtemp(join(tmpdir(), 'lectern-index-'))
let opened = 0
const open = () => openSegmentIndex(join(folder, String(opened++)))
afterAll(() => rm(folder, { recursive: true }))

searchIndexSuite('segments', cases, open)
searchIndexSuite('segments, vectors', vectorCases, open)
