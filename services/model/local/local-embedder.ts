// Vectors from a model of this process: its tokenizer and weights in one folder, run on the CPU by ONNX Runtime, which works
// on the thread that calls it. Between two runs the thread does what else waits for it.
import './no-telemetry.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { type Embedder, ModelError, type TextKind } from '../model.ts'
import { toEmbedderName } from './embed-call.ts'
import type { LocalModel } from './models.ts'

const maxTexts = 64
/** Concurrent calls; more are refused as `busy`, so that no queue of callers who gave up builds up. */
const maxCalls: Record<Lane, number> = { question: 16, passage: 8, background: 8 }
/** Tokens of a run, padding counted in, unless one text has more: so few that a question need not wait long for it. */
const maxRunTokens = 128
/** No token that is written by hand is longer. */
const maxTokenLength = 16

export interface LocalEmbedder extends Embedder {
  /** The same model for texts that no reader waits for: it gives way to those that one does. */
  background: Embedder
  close(): Promise<void>
}

/** A text as tokens; `place`: in the order of the caller. */
interface Encoded {
  place: number
  ids: number[]
}

/** `folder` holds the model's files. Rejects with an error that names the file that is not what it should be. */
export async function openLocalEmbedder(folder: string, model: LocalModel): Promise<LocalEmbedder> {
  const tokenizer = await openTokenizer(join(folder, 'tokenizer.json'))
  const session = await openSession(join(folder, 'model.onnx'), model)

  /** Throws ModelError(refused) for texts of which the tokenizer makes nothing. */
  function encode(kind: TextKind, text: string, place: number): Encoded {
    const max = model.maxTokens[kind]
    try {
      const { ids } = tokenizer.encode((model.prefix[kind] + text).slice(0, maxTokenLength * max))
      // The last token closes the text.
      return { place, ids: ids.length > max ? [...ids.slice(0, max - 1), ids.at(-1)!] : ids }
    } catch (error) {
      throw new ModelError('refused', error)
    }
  }

  const inTurn = createRunQueue()
  const calls: Record<Lane, number> = { question: 0, passage: 0, background: 0 }

  const toEmbedder = (toLane: (kind: TextKind) => Lane): Embedder => ({
    name: toEmbedderName(model.name),
    ...(model.languages && { languages: model.languages }),
    async embed(kind, texts, signal) {
      const lane = toLane(kind)
      if (texts.length > maxTexts) throw new RangeError(`at most ${maxTexts} texts are embedded at once`)
      if (calls[lane] >= maxCalls[lane]) throw new ModelError('busy')
      calls[lane] += 1
      try {
        const encoded = texts.map((text, place) => encode(kind, text, place))
        const vectors: Float32Array[] = []
        for (const run of toRuns(encoded)) {
          signal.throwIfAborted()
          const made = await inTurn(lane, () => runModel(session, run))
          for (const [n, { place }] of run.entries()) vectors[place] = made[n]!
        }
        return vectors
      } finally {
        calls[lane] -= 1
      }
    },
  })

  return {
    ...toEmbedder((kind) => kind),
    background: toEmbedder(() => 'background'),
    close: () => session.release(),
  }
}

async function openTokenizer(path: string): Promise<Tokenizer> {
  try {
    const tokenizer = new Tokenizer(JSON.parse(await readFile(path, 'utf8')), {})
    if (tokenizer.encode('documentation').ids.length < 3) throw new Error('it makes no tokens')
    return tokenizer
  } catch (cause) {
    throw new Error(`${path} is not the tokenizer of an embedding model: ${reason(cause)}`, { cause })
  }
}

async function openSession(path: string, { dimensions }: LocalModel): Promise<InferenceSession> {
  try {
    const session = await InferenceSession.create(path, {
      executionProviders: ['cpu'],
      // The other cores are for readers. An arena keeps the memory of the largest run for ever.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      enableCpuMemArena: false,
      enableMemPattern: false,
    })
    const [vector] = await runModel(session, [{ place: 0, ids: [0, 1, 2] }])
    if (vector!.length !== dimensions) throw new Error(`its vectors have ${vector!.length} dimensions`)
    return session
  } catch (cause) {
    throw new Error(`${path} is not an embedding model of ${dimensions} dimensions: ${reason(cause)}`, {
      cause,
    })
  }
}

/** Texts of like length are run together: what one is longer than another is padded, and computed for nothing. */
function toRuns(encoded: Encoded[]): Encoded[][] {
  const runs: Encoded[][] = []
  for (const text of encoded.toSorted((a, b) => a.ids.length - b.ids.length)) {
    const run = runs.at(-1)
    if (run && (run.length + 1) * text.ids.length <= maxRunTokens) run.push(text)
    else runs.push([text])
  }
  return runs
}

/** A vector of length 1 a text: the mean of the vectors of its tokens. */
async function runModel(session: InferenceSession, run: Encoded[]): Promise<Float32Array[]> {
  const width = Math.max(...run.map(({ ids }) => ids.length))
  const size = run.length * width
  const [ids, mask, types] = [new BigInt64Array(size), new BigInt64Array(size), new BigInt64Array(size)]
  for (const [row, text] of run.entries()) {
    for (const [n, id] of text.ids.entries()) {
      ids[row * width + n] = BigInt(id)
      mask[row * width + n] = 1n
    }
  }
  const given = { input_ids: ids, attention_mask: mask, token_type_ids: types }
  const shape = [run.length, width]
  const feeds = Object.entries(given)
    .filter(([name]) => session.inputNames.includes(name))
    .map(([name, values]) => [name, new Tensor('int64', values, shape)])
  const { last_hidden_state: states } = await session.run(Object.fromEntries(feeds), ['last_hidden_state'])
  if (!(states?.data instanceof Float32Array) || states.dims.length !== 3)
    throw new Error('it gives no states of tokens')
  const dimensions = states.dims[2]!
  return run.map((text, row) =>
    toMean(states.data as Float32Array, row * width * dimensions, text.ids.length, dimensions),
  )
}

function toMean(states: Float32Array, start: number, tokens: number, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions)
  for (let token = 0; token < tokens; token++) {
    for (let n = 0; n < dimensions; n++) sum[n]! += states[start + token * dimensions + n]!
  }
  const length = Math.hypot(...sum)
  if (!(length > 0 && Number.isFinite(length))) throw new Error('a vector is of no length')
  return sum.map((value) => value / length)
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** A reader waits for questions and for passages of answers; nobody waits for the background. */
export type Lane = TextKind | 'background'

/** Milliseconds without a reader's run, after which the background's next one begins: a reader who types comes again before. */
const quietTime = 500
/** Milliseconds that the background waits for each of its runs at most, however many readers there are. */
const maxWait = 2_000

const readers: TextKind[] = ['question', 'passage']

export type RunQueue = <Result>(lane: Lane, run: () => Promise<Result>) => Promise<Result>

/** One run at a time: questions, then passages of answers, then the background. A text that makes the model fail always does. */
export function createRunQueue(): RunQueue {
  const waiting: Record<Lane, (() => void)[]> = { question: [], passage: [], background: [] }
  let lastReader = Number.NEGATIVE_INFINITY
  let backgroundWaitsSince = 0
  let busy = false
  let timer: NodeJS.Timeout | undefined

  function startNext() {
    if (busy) return
    clearTimeout(timer)
    const now = performance.now()
    const due = backgroundWaitsSince + maxWait
    const isDue = waiting.background.length > 0 && now >= due
    const lane = (isDue ? null : readers.find((each) => waiting[each].length > 0)) ?? 'background'
    if (waiting[lane].length === 0) return
    const wait = lane === 'background' ? Math.min(lastReader + quietTime, due) - now : 0
    if (wait > 0) {
      timer = setTimeout(startNext, wait)
      return
    }
    busy = true
    waiting[lane].shift()!()
  }

  return async (lane, run) => {
    await new Promise<void>((resolve) => {
      if (waiting.background.length === 0) backgroundWaitsSince = performance.now()
      waiting[lane].push(resolve)
      startNext()
    })
    try {
      return await run()
    } catch (error) {
      throw new ModelError('refused', error)
    } finally {
      if (lane === 'background') backgroundWaitsSince = performance.now()
      else lastReader = performance.now()
      busy = false
      startNext()
    }
  }
}
