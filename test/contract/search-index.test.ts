import { join } from 'node:path'
import { openSegmentIndex } from '../../services/index/segments/segment-index.ts'
import { createFolder } from '../folder.ts'
import { cases, searchIndexSuite } from './search-index.suite.ts'
import { vectorCases } from './search-index-vectors.suite.ts'

const folder = createFolder()
let opened = 0
const open = () => openSegmentIndex(join(folder, String(opened++)))

searchIndexSuite('segments', cases, open)
searchIndexSuite('segments, vectors', vectorCases, open)
