// Entry of the evidence thread: passages are quoted and citations checked here. It holds nothing between calls.
import { checkAnswer } from '../answer/check-answer.ts'
import type { EvidenceApi } from '../answer/evidence-client.ts'
import { quotePassages } from '../model/extractive/extractive.ts'
import { serveThread } from '../thread/thread.ts'

serveThread({
  quote: async (question, passages) => quotePassages(question, passages),
  checkAnswer: async (draft, passages) => checkAnswer(draft, passages),
} satisfies EvidenceApi)
