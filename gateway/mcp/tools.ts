// MCP tools of a project: search, read a document, ask. Each calls the core on behalf of the client.
import { z } from 'zod'
import { ChatService } from '../../gen/lectern/v1/chat_pb.js'
import { type Document, DocumentService } from '../../gen/lectern/v1/document_pb.js'
import { ContentScope, type SearchResult, SearchService } from '../../gen/lectern/v1/search_pb.js'
import { StopReason, TurnOutcomeSchema } from '../../gen/lectern/v1/turn_pb.js'
import type { CallContext, CoreClient } from '../core-client.ts'
import { Refusal } from '../errors.ts'
import { enumName } from '../json/write.ts'
import { type Page, readCursor, toCursor, toPage } from './page.ts'

/** The project and the caller of a tool. */
export interface ToolContext {
  core: Pick<CoreClient, 'call'>
  call: CallContext
  slug: string
  /** The caller's page, from the endpoint's parameter `domain`, or null. */
  pageUrl: string | null
  /** Tag for conversations that the caller starts. */
  metadata: string | null
}

export interface ToolAnswer {
  /** Markdown. */
  text: string
  /** Structured content, as the tool's `output` describes it. */
  fields: Record<string, unknown>
}

export interface Tool {
  name: string
  title: string
  /** For the model that chooses among tools. */
  description: string
  /** Whether a call stores nothing. */
  isReadOnly: boolean
  input: z.ZodObject
  output: z.ZodObject
  /** `input` conforms to the schema. Rejects with the core's errors and Refusal. */
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>
}

export function tool<Input extends z.ZodObject>(
  row: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer>
  },
): Tool {
  return row
}

const tokens = { min: 200, default: 8_000, max: 50_000 }

const maxTokens = z
  .int()
  .min(tokens.min)
  .max(tokens.max)
  .default(tokens.default)
  .describe('Maximum length of the answer in tokens. The cursor returns the rest.')
const cursor = z
  .string()
  .max(20)
  .default('')
  .describe('next_cursor of the previous answer. Repeat the other arguments.')
const nextCursor = z.string().nullable().describe('Cursor of the rest; null at the end.')
const version = z.string().max(100).optional().describe('Only pages of this version of the documentation.')
const language = z.string().max(35).optional().describe('Only pages in this language, such as en.')

export const search = tool({
  name: 'search',
  title: 'Search the documentation',
  description:
    'Finds the sections of the documentation that match keywords or a question, best first, with their text and address.',
  isReadOnly: true,
  input: z.object({
    query: z.string().min(1).max(500).describe('Keywords, a name, or a question.'),
    limit: z.int().min(1).max(50).default(10).describe('Number of sections.'),
    content_scope: z
      .enum(['site', 'all'])
      .default('all')
      .describe('`site`: only pages; `all`: also uploaded files.'),
    version,
    language,
    max_tokens: maxTokens,
    cursor,
  }),
  output: z.object({
    results: z.array(
      z.object({
        title: z.string(),
        page_title: z.string(),
        url: z.string(),
        document_id: z.string().describe('For read_document.'),
      }),
    ),
    next_cursor: nextCursor,
  }),
  async run(input, { core, call, slug, pageUrl }) {
    const request = {
      slug,
      q: input.query,
      limit: input.limit,
      contentScope: input.content_scope === 'all' ? ContentScope.ALL : ContentScope.SITE,
      ...optional({ url: pageUrl, version: input.version, language: input.language }),
    }
    const start = readCursor(input.cursor)
    const { results } = await core.call(SearchService.method.search, request, call)
    const rest = results.slice(start.part)
    const page = toPage(rest.map(toMarkdown), start, input.max_tokens)
    return {
      text: results.length === 0 ? 'Nothing was found.' : withCursor(page),
      fields: {
        results: rest.slice(0, page.count).map(({ title, pageTitle, url, documentId }) => ({
          title,
          page_title: pageTitle,
          url,
          document_id: documentId,
        })),
        next_cursor: page.cursor,
      },
    }
  },
})

export const readDocument = tool({
  name: 'read_document',
  title: 'Read a document',
  description: 'Reads the whole text of a page or file that a search has found, section by section.',
  isReadOnly: true,
  input: z.object({
    document_id: z.string().min(1).max(200).describe('From the results of search.'),
    max_tokens: maxTokens,
    cursor,
  }),
  output: z.object({
    document_id: z.string(),
    title: z.string(),
    url: z.string().nullable(),
    next_cursor: nextCursor,
  }),
  async run(input, context) {
    const { document, page } = await readPage(input, context)
    const head = input.cursor === '' ? `# ${document.title}\n${document.url ?? ''}\n\n` : ''
    return {
      text: head + withCursor(page),
      fields: {
        document_id: document.documentId,
        title: document.title,
        url: document.url ?? null,
        next_cursor: page.cursor,
      },
    }
  },
})

/** Message lengths and modes are the same as in the chat. */
export const ask = tool({
  name: 'ask',
  title: 'Ask the documentation',
  description:
    'Answers a question from the documentation only, with its sources, or says that the documentation has no answer.',
  isReadOnly: false,
  input: z.object({
    question: z.string().min(1).max(1_000).describe('One question, in any language.'),
    conversation: z
      .string()
      .max(200)
      .optional()
      .describe('From the previous answer, to ask a follow-up question.'),
    think: z.boolean().optional().describe('Whether to search and think longer.'),
    version,
    language,
  }),
  output: z.object({
    outcome: z.enum(['answered', 'pointed', 'refused']).nullable(),
    sources: z.array(z.object({ title: z.string(), url: z.string(), quote: z.string().optional() })),
    conversation: z.string(),
  }),
  async run(input, { core, call, slug, pageUrl, metadata }) {
    const [chatUuid = '', restoreToken = ''] = input.conversation?.split('.') ?? []
    const { question, think, version, language } = input
    const request = {
      ...{ slug, message: question, chatUuid, restoreToken },
      ...optional({ url: pageUrl, metadata, thinkMode: think, version, language }),
    }
    const { event } = await core.call(ChatService.method.sendMessage, request, call)
    if (event?.event.case !== 'final') throw new Error('the turn has no end')
    const { chatUuid: chat, restoreToken: token, aiMessage, outcome } = event.event.value
    const { message = '', sources = [], stopReason } = aiMessage ?? {}
    if (stopReason === StopReason.ERROR) throw new Refusal('unavailable', message)
    const links = sources.map(({ title, url }, at) => `[${at + 1}] ${title}: ${url}`)
    return {
      text: links.length === 0 ? message : `${message}\n\nSources:\n${links.join('\n')}`,
      fields: {
        outcome: outcome === undefined ? null : enumName(TurnOutcomeSchema, outcome),
        sources: sources.map(({ title, url, quote }) => ({ title, url, ...(quote && { quote }) })),
        conversation: `${chat}.${token}`,
      },
    }
  },
})

/** Chunks per call: more than fit on a page. */
const maxChunks = 100

/** Rejects with the core's errors, and with Refusal if the cursor is invalid. */
export async function readPage(
  input: { document_id: string; cursor: string; max_tokens: number },
  { core, call, slug }: Pick<ToolContext, 'core' | 'call' | 'slug'>,
): Promise<{ document: Document; page: Page }> {
  const start = readCursor(input.cursor)
  const request = { slug, documentId: input.document_id, cursor: String(start.part), limit: maxChunks }
  const { document } = await core.call(DocumentService.method.getDocument, request, call)
  const { chunks, nextCursor } = document!
  const parts = chunks.map(({ content }) => content)
  const page = toPage(parts, start, input.max_tokens)
  const next = nextCursor === undefined ? null : toCursor(nextCursor)
  return { document: document!, page: { ...page, cursor: page.cursor ?? next } }
}

function toMarkdown({ title, pageTitle, url, documentId, content, fragment }: SearchResult): string {
  const heading = title === pageTitle ? title : `${pageTitle} › ${title}`
  return `## ${heading}\n${url} (document_id: ${documentId})\n\n${content ?? fragment}`
}

function withCursor({ text, cursor }: Page): string {
  return cursor === null ? text : `${text}\n\n(There is more: ask again with cursor "${cursor}".)`
}

/** The fields that are neither null nor undefined. */
function optional<Fields extends Record<string, unknown>>(fields: Fields) {
  const present = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(present) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> }
}

export const tools: readonly Tool[] = [search, readDocument, ask]
