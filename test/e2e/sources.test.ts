// Sources and their pages as callers of REST and readers see them, on one Lectern.
import { afterAll, describe } from 'vitest'
import { closeSharedLectern } from './lectern-process.ts'

const suites = {
  'API descriptions': './openapi.suite.ts',
  'pages that Lectern serves': './own-pages.suite.ts',
  'the list of pages': './pages.suite.ts',
  'reports on a site': './site-diagnosis.suite.ts',
  'request headers of a source': './source-headers.suite.ts',
}

afterAll(closeSharedLectern)

for (const [name, file] of Object.entries(suites)) describe(name, () => import(file))
