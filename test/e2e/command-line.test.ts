// `lectern ask` and `lectern eval` against a real process that has read its own manual.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from './cli.ts'
import { type LecternProcess, startLectern } from './lectern-process.ts'

let lectern: LecternProcess
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-cli-'))
  lectern = await startLectern()
  const run = await cli('sync', 'manual', '--wait')
  expect(run.code).toBe(0)
}, 60_000)
afterAll(async () => {
  await lectern?.remove()
  await rm(folder, { recursive: true })
})

const cli = (...args: string[]) => runCli(args, { LECTERN_GRPC: lectern.grpc })
const chats = async () => (await lectern.call('GET', '/api/v2/projects/manual/chats/')).body.results

test('a question is answered with sources, and the conversation goes on', async () => {
  const asked = await cli('ask', 'manual', 'how do I back up the data folder', '--json')
  expect(asked.code).toBe(0)
  const events = asked.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { final } = events.at(-2)
  expect(events.at(-1).status).toMatchObject({ stage: 'completed', state: 'completed' })
  expect(events[0].status).toMatchObject({ sequence: 1, stage: 'contextualizing', state: 'started' })
  expect(final.ai_message.sources.map(({ url }: { url: string }) => url).join()).toContain('/manual/')
  expect(final.refused).toBe(false)

  const on = await cli(
    'ask',
    'manual',
    'and restore it?',
    '--chat',
    final.chat_uuid,
    '--token',
    final.restore_token,
  )
  expect([on.code, on.err]).toEqual([0, ''])
  expect(await chats()).toMatchObject([{ uuid: final.chat_uuid, message_count: 4, metadata: 'cli' }])
  const denied = await cli('ask', 'manual', 'and then?', '--chat', final.chat_uuid, '--token', 'wrong')
  expect(denied).toEqual({ code: 1, out: '', err: expect.stringMatching(/^lectern: .+\n$/) })
})

test('an evaluation tells answers from refusals, and leaves no chat behind', async () => {
  const before = await chats()
  const file = join(folder, 'questions.jsonl')
  const questions = [
    { question: 'how does Lectern obey robots.txt and Crawl-delay', pages: ['manual/crawling.html'] },
    { question: 'which permissions can an API key have', pages: ['keys.html'] },
    { question: 'how do I bake sourdough bread with rye', pages: [] },
  ]
  await writeFile(file, questions.map((each) => JSON.stringify(each)).join('\n'))
  const { code, out } = await cli('eval', 'manual', file, '--json')
  expect(code).toBe(0)
  const { scores, settings, outcomes } = JSON.parse(out)
  expect(outcomes.map(({ answered }: { answered: string }) => answered)).toEqual([
    'answered',
    'answered',
    'refused',
  ])
  expect(scores).toMatchObject({ hit_at_10: 1, refused_answerable: 0, refused_unanswerable: 1, failed: 0 })
  expect(settings).toMatchObject({
    page_count: expect.any(Number),
    model: 'extractive',
    prompt_version: 'v3',
    embeddings: null,
  })
  expect(await chats()).toEqual(before)
})
