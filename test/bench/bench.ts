// `npm run bench -- [names] [--rounds n] [--closing]`: runs the named benchmarks, or all, in sequence.
import { parseArgs } from 'node:util'
import { measureAnalytics } from './analytics.ts'
import { measureAnswers } from './answers/answers.ts'
import { measureExcerpts } from './answers/excerpts.ts'
import { fitEvidence } from './answers/fit-evidence.ts'
import type { BenchOptions } from './bench-options.ts'
import { fitCheck, measureCheck } from './check/check.ts'
import { measureConsole } from './console.ts'
import { measureConversation } from './conversation/conversation.ts'
import { measureCrawl } from './crawl/crawl.ts'
import { measureEmbedding } from './embedding/embedding.ts'
import { measureEngines } from './engines.ts'
import { measureFaults } from './faults.ts'
import { measureHop } from './hop/hop.ts'
import { measureLatency } from './latency/search-latency.ts'
import { measureMemory } from './memory.ts'
import { measureQuality } from './quality/search-quality.ts'
import { measureFit } from './questions/fit.ts'
import { fitClusters } from './questions/fit-clusters.ts'
import { measureQuestions } from './questions/questions.ts'
import { measureRelay } from './relay/relay.ts'
import { printTable, type Table, writeResult } from './report.ts'
import { measureScale } from './scale/scale.ts'
import { largeManuals, requireManuals } from './site/manuals.ts'
import { measureShare } from './weaviate/share.ts'
import { measureWidget } from './widget/widget.ts'

const benchmarks: Record<string, (options: BenchOptions) => Promise<Table[]>> = {
  crawl: measureCrawl,
  'search-latency': measureLatency,
  'search-quality': measureQuality,
  embedding: measureEmbedding,
  engines: measureEngines,
  questions: measureQuestions,
  fit: measureFit,
  relay: measureRelay,
  answers: measureAnswers,
  excerpts: measureExcerpts,
  conversation: () => measureConversation(),
  check: measureCheck,
  'weaviate-share': measureShare,
  hop: measureHop,
  memory: measureMemory,
  analytics: measureAnalytics,
  console: measureConsole,
  widget: measureWidget,
}

/** Run only by name: they compute constants, need a machine that runs containers, or take an hour. */
const byName: typeof benchmarks = {
  faults: measureFaults,
  scale: measureScale,
  'fit-check': fitCheck,
  'fit-evidence': fitEvidence,
  'fit-clusters': fitClusters,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    sizes: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    closing: { type: 'boolean', default: false },
    closed: { type: 'boolean', default: false },
  },
})
const known = { ...benchmarks, ...byName }
const unknown = positionals.find((name) => !(name in known))
if (unknown !== undefined) {
  console.error(`no benchmark "${unknown}"; there are ${Object.keys(known).join(', ')}`)
  process.exit(2)
}
const options: BenchOptions = {
  rounds: Number(values.rounds),
  closing: values.closing,
  closed: values.closed,
  only: toList(values.only),
  sizes: toList(values.sizes).map(Number),
}

function toList(text: string): string[] {
  return text.split(',').filter((item) => item !== '')
}

requireManuals(largeManuals)
for (const name of positionals.length > 0 ? positionals : Object.keys(benchmarks)) {
  const tables = await known[name]!(options)
  for (const table of tables) printTable(table)
  await writeResult(name, tables)
}
