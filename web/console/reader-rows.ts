// Responses of REST v2 about readers: searches, conversations and their traces, analytics. Names are the API's.

export interface ExplainedSearch {
  /** `used`, or why a question was not searched by meaning. Null for a name, which is searched by words. */
  meaning: string | null
  words: string[]
  results: {
    title: string
    page_title: string
    url: string
    score: number
    matched: string[]
    similarity: number | null
    fragment: string
    content: string | null
    source_type: string
    headings: string[]
  }[]
}

export interface TurnTrace {
  queries: string[]
  meanings: string[]
  model: string
  model_error: string | null
  prompt_version: string
  outcome: 'answered' | 'pointed' | 'refused' | null
  probability: number | null
  passages: {
    unit: string
    content_hash: string
    url: string
    score: number
    cited: boolean
    quote: string | null
  }[]
  dropped: { text: string; why: string }[]
  /** Milliseconds from the start of the turn. */
  timings: { retrieved: number; first_token: number | null; done: number } | null
}

export interface Chat {
  uuid: string
  created_at: string
  updated_at: string
  title: string
  email: string | null
  metadata: string | null
  url: string | null
  message_count: number
}

export interface Message {
  uuid: string
  role: 'user' | 'assistant'
  content: string
  created_at: string
  sources: { title: string; url: string; quote?: string }[]
  feedback: 0 | 1 | null
  incomplete: boolean
  stop_reason: string | null
}

export interface Conversation extends Chat {
  /** Number of messages. */
  count: number
  /** A page of messages, newest first. */
  messages: Message[]
}

type Counts<Name extends string> = Record<Name, number>

/** An analysis: totals of the range, a row per day, and lists of the most frequent items. */
interface Report<Name extends string> {
  start_date: string
  end_date: string
  totals: Counts<Name>
  daily: (Counts<Name> & { date: string })[]
}

export interface PageFrequency {
  url: string
  title: string | null
  count: number
}

export interface SearchReport
  extends Report<'searches' | 'unique_queries' | 'clicks' | 'click_rate' | 'no_result_searches'> {
  top_queries: { query: string; count: number }[]
  top_no_result_queries: { query: string; count: number }[]
  top_clicked: PageFrequency[]
}

export interface ChatReport
  extends Report<
    | 'chats'
    | 'messages'
    | 'unique_users'
    | 'positive'
    | 'negative'
    | 'satisfaction'
    | 'answered'
    | 'pointed'
    | 'refused'
    | 'unanswered'
  > {
  top_cited_pages: PageFrequency[]
  top_question_pages: PageFrequency[]
}

export interface McpReport extends Report<'sessions' | 'tool_calls' | 'errors'> {
  top_tools: { tool: string; count: number }[]
  top_clients: { client: string; count: number }[]
}

export interface QuestionCluster {
  question: string
  count: number
  examples: string[]
}

export interface Insights {
  frequent_questions: QuestionCluster[]
  content_gaps: QuestionCluster[]
}
