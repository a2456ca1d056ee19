// `lectern eval` as teams run it, with a core whose searches and answers the test writes.
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerHttp2Session } from 'node:http2'
import { join } from 'node:path'
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { StopReason, TurnOutcome } from '../gen/lectern/v1/turn_pb.js'
import { runHere } from '../test/e2e/cli.ts'
import { createFolder } from '../test/folder.ts'
import { isPage, readQuestions } from './evaluate.ts'

const page = (name: string) => `https://docs.example.org/guide/${name}`
const sessions: ServerHttp2Session[] = []
const folder = createFolder()
let chats: Set<string>
/** Queries counted as readers' searches. */
let counted: string[]
let mayDelete: boolean
let model: string
let embedding: object
/** Question → pages found, and pages cited. Null: refused. */
const pointed: Record<string, TurnOutcome> = { 'how to sit': TurnOutcome.POINTED }
let world: Record<string, { found: string[]; cited: string[] | null }>

const routes = (router: ConnectRouter) => {
  router.service(ProjectService, {
    getAnswerSetup: () => ({ setup: { pageCount: 7, model, promptVersion: 'v3', ...embedding } }),
  })
  router.service(KeyService, {
    getOwnKey: () => ({ key: { permissions: mayDelete ? ['chats_delete'] : [] } }),
  })
  router.service(SearchService, {
    search: ({ q, uncounted }) => {
      if (!uncounted) counted.push(q)
      return { results: (world[q]?.found ?? []).map((name) => ({ url: page(name) })) }
    },
  })
  router.service(ChatService, {
    async *sendMessage({ message }) {
      const { cited } = world[message] ?? { cited: null }
      const chatUuid = crypto.randomUUID()
      chats.add(chatUuid)
      yield { event: { event: { case: 'token', value: { chatUuid, text: 'So' } } } }
      const aiMessage = {
        stopReason: message === 'broken' ? StopReason.ERROR : StopReason.STOP,
        sources: (cited ?? []).map((name) => ({ title: name, url: page(name) })),
      }
      const outcome = cited === null ? TurnOutcome.REFUSED : (pointed[message] ?? TurnOutcome.ANSWERED)
      const value = { chatUuid, outcome, aiMessage }
      yield { event: { event: { case: 'final', value } } }
    },
    deleteChat({ chatUuid }) {
      if (!mayDelete) throw new ConnectError('the permission chats_delete is missing', Code.PermissionDenied)
      if (!chats.delete(chatUuid)) throw new ConnectError('unknown', Code.NotFound)
      return {}
    },
  })
}
const server = createServer(connectNodeAdapter({ routes }))
server.on('session', (session) => sessions.push(session))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(async () => {
  for (const session of sessions) session.destroy()
  server.close()
  await once(server, 'close')
})
beforeEach(() => {
  chats = new Set()
  counted = []
  mayDelete = true
  model = 'extractive'
  embedding = {}
  world = {
    'how to install': {
      found: ['install.html#top', 'install.html#pip', 'other.html'],
      cited: ['install.html#pip'],
    },
    'how to leave': { found: ['other.html#a', 'other.html#b', 'leave.html'], cited: ['other.html'] },
    'how to fly': { found: ['other.html'], cited: null },
  }
})

function evaluate(file: string, ...args: string[]) {
  const { port } = server.address() as { port: number }
  return runHere(['eval', 'docs', file, ...args], {
    LECTERN_GRPC: `127.0.0.1:${port}`,
    LECTERN_API_KEY: 'lec_test',
  })
}

const questions = [
  { question: 'how to install', pages: ['guide/install.html'] },
  { question: 'how to leave', pages: [page('leave.html'), '/stay.html'] },
  { question: 'how to fly', pages: [] },
]
const lines = (list: object[]) => `${list.map((each) => JSON.stringify(each)).join('\n')}\n`

test('scores search and answers, stores the results, and reports changes since the last run', async () => {
  const file = join(folder, 'questions.jsonl')
  await writeFile(file, lines(questions))
  const first = await evaluate(file)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toBe(`docs: 3 questions, 2 answerable; 7 pages, sync never
model extractive, prompt v3, embeddings none

                        NOW
hit@1                   50.0 %
hit@3                   100.0 %
hit@10                  100.0 %
MRR                     0.750
answerable: answered    100.0 %
… pointed to sections   0.0 %
… refused               0.0 %
unanswerable: answered  0.0 %
… pointed to sections   0.0 %
… refused               100.0 %
cites an expected page  50.0 %
… where search had it   50.0 %
failed                  0.0 %
`)
  expect([chats.size, counted]).toEqual([0, []])

  world['how to leave'] = { found: ['leave.html'], cited: ['leave.html'] }
  world['how to install'] = { found: ['install.html'], cited: null }
  model = 'openai:gpt-x'
  embedding = { embedding: { model: 'e5', total: 40, done: 30 } }
  const second = await evaluate(file)
  expect(second.out).toMatch(/^hit@1 +100.0 % +50.0 % +\+50.0 %$/m)
  expect(second.out).toMatch(/^… refused +50.0 % +0.0 % +\+50.0 %$/m)
  expect(second.out).toContain('model: extractive → openai:gpt-x\nembeddings: none → e5\n')
  expect(second.out).toContain('embeddings e5 (30 of 40 sections)\n')
  expect(second.out).toMatch(/^worse +how to install +cites the page → refused$/m)
  expect(second.out).toMatch(/^better +how to leave +place 2 → place 1$/m)
  expect(second.out).toMatch(/^better +how to leave +cites other pages → cites the page$/m)

  const third = JSON.parse((await evaluate(file, '--json')).out)
  expect(third).toMatchObject({
    project: 'docs',
    settings: {
      page_count: 7,
      last_sync: null,
      model: 'openai:gpt-x',
      prompt_version: 'v3',
      embeddings: 'e5',
    },
    scores: { hit_at_1: 1, refused_answerable: 0.5 },
    comparison: { settings: [], questions: [] },
  })
  const kept = (await readFile(join(folder, 'questions.results.jsonl'), 'utf8')).trimEnd().split('\n')
  expect(kept.map((line) => JSON.parse(line).scores.hit_at_1)).toEqual([0.5, 1, 1])
})

test('evaluates only search, and compares it with its last run', async () => {
  const file = join(folder, 'search.jsonl')
  const results = join(folder, 'kept.jsonl')
  await writeFile(file, lines(questions))
  mayDelete = false
  await evaluate(file, '--search-only', '--results', results)
  mayDelete = true
  await evaluate(file, '--results', results)
  const { out } = await evaluate(file, '--search-only', '--results', results)
  expect(out).toContain('No question changed.')
  expect(out).not.toContain('refused')
})

test('counts a failed answer as no refusal, and leaves no chat', async () => {
  const file = join(folder, 'failing.jsonl')
  await writeFile(file, lines([{ question: 'broken', pages: ['a.html'] }]))
  const { scores } = JSON.parse((await evaluate(file, '--json')).out)
  expect(scores).toMatchObject({ failed: 1, refused_answerable: null, cited_page: null, hit_at_10: 0 })
  expect(chats.size).toBe(0)
})

test('counts sections that are only linked as no answer', async () => {
  world['how to sit'] = { found: ['sit.html'], cited: [] }
  const file = join(folder, 'pointed.jsonl')
  await writeFile(file, lines([{ question: 'how to sit', pages: ['sit.html'] }]))
  const { scores, outcomes } = JSON.parse((await evaluate(file, '--json')).out)
  expect(outcomes).toMatchObject([{ answered: 'pointed', cited: null }])
  expect(scores).toMatchObject({ pointed_answerable: 1, answered_answerable: 0, cited_page: null })
})

test('creates no chat with a key that cannot delete chats', async () => {
  const file = join(folder, 'denied.jsonl')
  await writeFile(file, lines(questions))
  mayDelete = false
  const { code, out, err } = await evaluate(file)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^lectern: the key needs the permission chats_delete.*\n$/)
  expect(chats.size).toBe(0)
})

test('reports an invalid line and a missing file in one line each', async () => {
  const wrong = join(folder, 'wrong.jsonl')
  await writeFile(wrong, '{"question": "a", "pages": []}\n\nnonsense')
  const err = `lectern: ${wrong}:3: it is not a JSON object\n`
  expect(await evaluate(wrong)).toEqual({ code: 1, out: '', err })
  const file = join(folder, 'none.jsonl')
  expect(await evaluate(file)).toMatchObject({
    code: 1,
    err: `lectern: ${file}: it cannot be read (ENOENT)\n`,
  })
})

describe('the file of questions', () => {
  test.each([
    ['{"question": "a", "pages": []}\n\nnonsense', ':3: it is not a JSON object'],
    ['[]', ':1: it is not a JSON object'],
    ['{"pages": []}', ':1: "question" must be a text'],
    ['{"question": " ", "pages": []}', ':1: "question" must be a text'],
    [`{"question": "${'a'.repeat(501)}", "pages": []}`, ':1: "question" must have at most 500 characters'],
    ['{"question": "a"}', ':1: "pages" must be a list, empty where there is no answer'],
    ['{"question": "a", "pages": [7]}', ':1: "pages" takes addresses of pages, or endings of their paths'],
    ['{"question": "a", "pages": ["/"]}', ':1: "pages" takes addresses of pages, or endings of their paths'],
    ['{"question": "a", "pages": []}\n{"question": "a", "pages": []}', ':2: the question is that of line 1'],
    ['\n', ': it has no questions'],
  ])('reports the line and the error of %j', (text, sentence) => {
    expect(() => readQuestions(text, 'docs.jsonl')).toThrow(new Error(`docs.jsonl${sentence}`))
  })

  test.each([
    ['https://docs.example.org/3/guide/install.html#pip', 'guide/install.html', true],
    [
      'https://docs.example.org/3/guide/install.html#pip',
      'https://docs.example.org/3/guide/install.html',
      true,
    ],
    ['https://docs.example.org/guide/', '/guide', true],
    ['https://docs.example.org/guide', 'guide/', true],
    ['https://docs.example.org/guide?version=3', 'guide#top', true],
    ['https://docs.example.org/install.html', 'stall.html', false],
    ['https://docs.example.org/install.html', 'guide/install.html', false],
    ['https://docs.example.org/3/guide/install.html', 'https://docs.example.org/guide/install.html', false],
  ])('%s ← %s: %s', (url, expected, is) => {
    expect(isPage(url, expected)).toBe(is)
  })
})
