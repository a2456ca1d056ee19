// Turns in the real core: interceptors, handlers, SQLite and a model over a socket. Only the search is simple: the
// test provides pages, and the words of the question find them.
import { randomBytes, randomUUID } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { type CallOptions, createClient } from '@connectrpc/connect'
import { ChatService, type SendMessageRequestSchema } from '../../gen/lectern/v1/chat_pb.js'
import type { TurnEvent, TurnFinal } from '../../gen/lectern/v1/turn_pb.js'
import { createJudge } from '../../services/answer/citation-check.ts'
import { quoteSection } from '../../services/answer/extractive.ts'
import type { Review } from '../../services/answer/review.ts'
import { createVerify } from '../../services/answer/verify-citations.ts'
import { createChatAccess, createRestoreTokens } from '../../services/chat/chat-access.ts'
import { createChatService } from '../../services/chat/chat-service.ts'
import { createLiveTurns } from '../../services/chat/live-turns.ts'
import { createTurnService } from '../../services/chat/turn-handler.ts'
import type { Surface } from '../../services/context.ts'
import { createModel } from '../../services/create-model.ts'
import { openStore } from '../../services/drivers.ts'
import { createCallerSigner, createCallerVerifier } from '../../services/guard/identify.ts'
import { createLimitService, createMessageLimits } from '../../services/limit/message-limits.ts'
import type { Model } from '../../services/model/model.ts'
import type { FoundPassages, Passage, PassageRequest, Passages } from '../../services/search/passage.ts'
import { createCore } from '../../services/server/core.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import type { Project } from '../../services/store/project.ts'
import { project as projectRow } from '../contract/store-case.ts'
import { createFolder } from '../folder.ts'
import { openScriptedProvider } from '../model/scripted-provider.ts'
import { readLanguages } from '../read-languages.ts'

export interface Page {
  title: string
  text: string
}

/** The events of a turn. */
export interface ReceivedTurn {
  events: TurnEvent[]
  draft: string
  /** With the token that all have except those of a deleted chat. */
  finals: (TurnFinal & { restoreToken: string })[]
}

const adminKey = 'an-admin-key-for-tests-only'
const secret = randomBytes(32).toString('base64')

/** `mongodb`: address of the server that stores the chats, instead of SQLite. */
export async function openTurnLab(
  options: { model?: Model | null; silence?: number; verify?: true; mongodb?: string } = {},
) {
  const data = createFolder()
  const store = await openStore({ data, mongodb: options.mongodb ?? null })
  const provider = await openScriptedProvider()
  const scripted = createModel({
    provider: 'openai-compatible',
    url: provider.url,
    model: 'scripted',
    key: 'sk-a-secret-key',
    timeout: options.silence ?? 60,
    verify: options.verify ?? false,
  })
  const model = options.model === undefined ? scripted : options.model
  const tokens = createRestoreTokens(secret)
  // It is stopped, so that no minute ends while a test fills a limit.
  const beginning = new Date()
  const now = () => beginning
  const networkKey = (address: string) => `hashed:${address}`
  const access = createChatAccess({ store, tokens, networkKey, legacyChats: 'off', now })
  const turns = createLiveTurns()
  const reported: unknown[] = []
  const report = (error: unknown) => reported.push(error)
  const judge = createJudge(null, options.verify ? createVerify(scripted, report) : null, readLanguages)
  const limits = createMessageLimits({ limits: store.limits, networkKey, now, report })
  const searched: PassageRequest[] = []
  const pages = new Map<string, Page>()
  const project: Project = projectRow('p1', { slug: 'docs', name: 'Docs', allowedDomains: [] })
  const sign = createCallerSigner(secret, now)
  await store.teams.insert({ uuid: 't1', name: 'Team', createdAt: now().toISOString() })
  await store.projects.insert(project)

  const lab = {
    store,
    provider,
    project,
    turns,
    reported,
    searched,
    pages,
    tokens,
    /** Intercepts a search, which a test may fail or delay, and sets the corrected words. */
    search: {
      meets: async () => {},
      corrections: [] as FoundPassages['corrections'],
      language: null as string | null,
      /** If set, every hit is near. */
      model: null as string | null,
    },
    sign,
    caller: (surface: Surface, connection: string | null = null): CallOptions => ({
      headers: {
        'lectern-caller': sign({ surface, address: '203.0.113.7', origin: null, connection }),
      },
    }),
    admin: { headers: { authorization: `Api-Key ${adminKey}` } } satisfies CallOptions,
    async close() {
      await turns.close()
      await provider.close()
      await store.close()
    },
  }

  const core = createCore(
    {
      store,
      adminKey,
      readOrigin: createCallerVerifier(secret, now),
      now,
      limits,
      log: { error: ({ err }: { err: unknown }) => reported.push(err) },
    },
    {
      chat: {
        ...createChatService({ store, access }),
        ...createTurnService({
          store,
          access,
          tokens,
          limits,
          turns,
          model,
          quote: (question, passages) => quoteSection(question, passages, async () => null),
          async passages(request) {
            searched.push(request)
            await lab.search.meets()
            const { corrections, language, model } = lab.search
            return { ...find(pages, request, model), corrections, language, model }
          },
          readLanguages,
          review,
          judge,
          newUuid: randomUUID,
          clock: Date.now,
          report,
        }),
      },
      limits: createLimitService(limits),
    },
  )
  const client = createClient(ChatService, createInMemoryTransport(core))
  return {
    ...lab,
    core,
    client,
    /** Sends a message and reads the turn to its end. */
    async send(
      message: string,
      request: MessageInitShape<typeof SendMessageRequestSchema> = {},
      call?: CallOptions,
    ) {
      return read(client.sendMessage({ slug: 'docs', message, ...request } as typeof request, call))
    },
    async goOn(final: ReceivedTurn['finals'][number], call?: CallOptions) {
      return read(
        client.continueMessage(
          {
            chatUuid: final.chatUuid,
            continueMessageId: final.aiMessage!.messageId,
            restoreToken: final.restoreToken,
          },
          call,
        ),
      )
    },
    /** The stored rows of a chat. */
    async stored(chat: string) {
      const messages = await store.chats.messages(chat)
      const answer = messages.findLast(({ role }) => role === 'assistant') ?? null
      return { messages, answer, trace: answer && (await store.chats.trace(answer.uuid)) }
    },
  }
}

export async function read(answers: AsyncIterable<{ event?: TurnEvent | undefined }>): Promise<ReceivedTurn> {
  const received: ReceivedTurn = { events: [], draft: '', finals: [] }
  for await (const { event } of answers) note(received, event!)
  return received
}

export function note(received: ReceivedTurn, event: TurnEvent) {
  received.events.push(event)
  if (event.event.case === 'token') received.draft += event.event.value.text
  if (event.event.case === 'final') received.finals.push(event.event.value as ReceivedTurn['finals'][number])
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}{4,}/gu) ?? []
}

function find(
  pages: Map<string, Page>,
  { q, limit }: PassageRequest,
  model: string | null,
): Omit<FoundPassages, 'corrections' | 'language' | 'model'> {
  const words = wordsOf(q)
  const all = [...pages.values()].map(({ title, text }) => `${title} ${text}`.toLowerCase()).join('\n')
  const passages = [...pages].flatMap(([name, page], at): Passage[] => {
    const held = words.filter((word) => `${page.title} ${page.text}`.toLowerCase().includes(word)).length
    if (held === 0) return []
    return [
      {
        unit: `${name}:1:0`,
        page: name,
        url: `https://docs.test/${name}#s`,
        pageTitle: page.title,
        title: page.title,
        path: [],
        text: page.text,
        contentHash: `hash-${page.text.length}-${at}`,
        score: held / words.length,
        coverage: held / words.length,
        similarity: model === null ? null : 0.9,
        lacks: [],
      },
    ]
  })
  return {
    q,
    passages: passages.sort((a, b) => b.score - a.score).slice(0, limit),
    words,
    unknownWords: words.filter((word) => !all.includes(word)),
    meaning: 'late',
    units: pages.size,
  }
}

/** A simple review: half of the question's words must be found, two fifths to be pointed; or it is near and has no unknown words. */
async function review(_question: string, { passages, unknownWords }: Passages): Promise<Review> {
  const nearness = unknownWords.length === 0 ? (passages[0]?.similarity ?? 0) : 0
  const probability = Math.max(passages[0]?.coverage ?? 0, nearness)
  const verdict = probability >= 0.5 ? 'answerable' : probability >= 0.4 ? 'pointed' : 'refused'
  return { verdict, probability, passages }
}
