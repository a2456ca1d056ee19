// Vectors of questions, within the little time that a reader waits. An endpoint that is slow, away or overrun costs a
// search no more than that time, and then nothing for a while.
import type { Embedder } from '../model/model.ts'

/** Milliseconds that a request may take; its answer is kept even when no search waits for it any more. */
const longestRequest = 10_000
const mostRequests = 4
const keptVectors = 1_000
/** Milliseconds without requests after a failure. */
const restAfterFailure = 10_000

export interface QuestionVector {
  model: string
  vector: Float32Array
}

interface QuestionVectorDeps {
  /** Null without an endpoint. */
  embedder: Embedder | null
  /** Milliseconds. */
  now(): number
  /** Told once of a row of failures. */
  report(error: unknown): void
}

export function createQuestionVectors({ embedder, now, report }: QuestionVectorDeps) {
  const kept = new Map<string, Float32Array>()
  const underWay = new Map<string, Promise<Float32Array | null>>()
  let restsUntil = 0
  let failures = 0

  async function request(from: Embedder, question: string): Promise<Float32Array | null> {
    try {
      const [vector] = await from.embed('question', [question], AbortSignal.timeout(longestRequest))
      kept.set(question, vector!)
      for (const oldest of kept.keys()) if (kept.size > keptVectors) kept.delete(oldest)
      failures = 0
      return vector!
    } catch (error) {
      if (failures === 0) report(error)
      failures += 1
      restsUntil = now() + restAfterFailure
      return null
    } finally {
      underWay.delete(question)
    }
  }

  return {
    /** The question's vector; null when it is not there within `timeout` milliseconds. Never rejects. */
    async of(question: string, timeout: number): Promise<QuestionVector | null> {
      if (embedder === null) return null
      const known = kept.get(question)
      if (known !== undefined) return { model: embedder.name, vector: known }
      let asked = underWay.get(question)
      if (asked === undefined) {
        if (underWay.size >= mostRequests || now() < restsUntil) return null
        asked = request(embedder, question)
        underWay.set(question, asked)
      }
      const vector = await within(asked, timeout)
      return vector && { model: embedder.name, vector }
    },
  }
}

export type QuestionVectors = ReturnType<typeof createQuestionVectors>

async function within<Value>(work: Promise<Value>, milliseconds: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, milliseconds, null)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
