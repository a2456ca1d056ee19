// The evidence thread from its callers' side: quoting passages and checking citations reads every sentence of eight
// passages, some 20 ms in which the one process would serve nobody.
import type { ModelPassage } from '../model/model.ts'
import { heartbeatTimeouts } from '../thread/heartbeat.ts'
import { openKeptThread } from '../thread/kept-thread.ts'
import type { CheckedAnswer } from './check-answer.ts'

/** What the thread serves. A type, so that it fits what a thread may serve. */
export type EvidenceApi = {
  /** An answer in Markdown out of the passages' own sentences; see services/model/extractive/. */
  quote(question: string, passages: ModelPassage[]): Promise<string>
  /** See check-answer.ts. */
  checkAnswer(draft: string, passages: ModelPassage[]): Promise<CheckedAnswer>
}

const entry = new URL('../main/evidence-thread.ts', import.meta.url)

/** A call under way when the thread dies rejects with DomainError(unavailable), and so do others until a new one answers. */
export async function openEvidence(report: (error: unknown) => void) {
  const thread = await openKeptThread<EvidenceApi>({
    entry,
    workerData: null,
    heartbeatTimeout: heartbeatTimeouts.evidence,
    report,
  })
  return {
    quote: (question: string, passages: ModelPassage[]): Promise<string> =>
      thread.api.quote(question, passages),
    checkAnswer: (draft: string, passages: ModelPassage[]): Promise<CheckedAnswer> =>
      thread.api.checkAnswer(draft, passages),
    close: () => thread.close(async () => {}),
  }
}
