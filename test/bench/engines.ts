// Engines of our own that could have been libraries, next to a library or to doing without. DESIGN.md has the figures.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createClient, createRouterTransport, type Transport } from '@connectrpc/connect'
import { buildSync } from 'esbuild'
import { visitHtml } from '../../crawler/extract/html-tree.ts'
import { visitTidyHtml } from '../../crawler/extract/tidy-html.ts'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { createSafeText } from '../../services/sanitize/safe-text.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import type { BenchOptions } from './bench-options.ts'
import type { Table } from './report.ts'
import { largeManuals, type Manual } from './site/manuals.ts'
import { medianRow } from './statistics.ts'

const tokenCount = 20_000
const visitor = { open() {}, close() {}, text() {}, comment() {} }

export async function measureEngines({ rounds }: BenchOptions): Promise<Table[]> {
  const [html, tokens] = [[] as Table['rows'], await repeat(rounds, compareTransports)]
  for (const manual of largeManuals) {
    const all = readPages(manual)
    const pages = all.filter((page) => visitTidyHtml(page, visitor))
    const times = await repeat(rounds, () => comparePasses(pages))
    html.push({ manual: manual.name, pages: all.length, 'in one pass': pages.length, ...times })
  }
  const answer = readFileSync('manual/asking.md', 'utf8')
  const ours = bundledBytes('web/components/markdown.tsx')
  const marked = bundledBytes('node_modules/marked/lib/marked.esm.js')
  return [
    { title: 'One pass over tidy HTML, ms of processor time for the pages that it reads', rows: html },
    { title: 'Tokens from core to gateway in a process, µs of processor time for each', rows: [tokens] },
    { title: 'Markdown of answers, bytes (minified, gzip -9), without Preact', rows: [{ ours, marked }] },
    {
      title: 'Sanitizer of streamed answers, on manual/asking.md word by word',
      rows: [countHeldBack(answer)],
    },
  ]
}

async function repeat(rounds: number, measure: () => Promise<Record<string, number>>) {
  const rows = []
  for (let round = 0; round < rounds; round++) rows.push(await measure())
  return medianRow(rows)
}

function readPages({ root }: Manual): string[] {
  const names = readdirSync(root, { encoding: 'utf8', recursive: true }).filter((name) =>
    /\.html$/.test(name),
  )
  return names.map((name) => readFileSync(`${root}/${name}`, 'utf8').replaceAll(/\r\n?/g, '\n'))
}

async function comparePasses(pages: string[]) {
  const timeAll = (visit: (page: string) => unknown) =>
    processorTime(() => {
      for (const page of pages) visit(page)
    })
  return {
    ours: await timeAll((page) => visitTidyHtml(page, visitor)),
    parse5: await timeAll((page) => visitHtml(page, visitor)),
  }
}

/** Connect's own transport within a process serializes messages. Both are without the guard. */
async function compareTransports() {
  async function* sendMessage() {
    for (let at = 0; at < tokenCount; at++)
      yield { event: { event: { case: 'partial', value: { text: ' token' } } } } as never
  }
  const ours = createInMemoryTransport({
    routes() {},
    interceptors: [],
    implementation: { chat: { sendMessage } },
  })
  const connect = createRouterTransport(({ service }) => service(ChatService, { sendMessage }))
  return { ours: await timePerToken(ours), connect: await timePerToken(connect) }
}

async function timePerToken(transport: Transport): Promise<number> {
  const { sendMessage } = createClient(ChatService, transport)
  let count = 0
  const ms = await processorTime(async () => {
    for await (const _ of sendMessage({ slug: 'guide', message: 'a' })) count++
  })
  if (count !== tokenCount) throw new Error(`${count} of ${tokenCount} tokens arrived`)
  return (ms * 1_000) / tokenCount
}

function bundledBytes(path: string): number {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [path], bundle: true, minify: true, format: 'esm', write: false },
    ...{ external: ['preact', 'preact/*'], logLevel: 'error', jsx: 'automatic', jsxImportSource: 'preact' },
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

/** A sanitizer of complete texts holds back all words. */
function countHeldBack(answer: string) {
  const safe = createSafeText(() => false)
  const words = answer.match(/\S+\s*/g)!
  let [held, max] = [0, 0]
  for (const word of words) {
    held = safe.push(word) === '' ? held + 1 : 0
    max = Math.max(max, held)
  }
  return { words: words.length, 'held back at most': max }
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
