// Runs a local embedding model on the CPU with ONNX Runtime. A run blocks the calling thread, so the work is split into short
// runs.
import './no-telemetry.ts'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { type Embedder, ModelError, type TextKind } from '../model.ts'
import { toEmbedderName } from './embed-call.ts'
import type { LocalModel } from './models.ts'

const maxTexts = 64
/** Maximum concurrent calls. Others are rejected as `busy`, so that no queue of callers who gave up builds up. */
const maxCalls: Record<Lane, number> = { question: 16, passage: 8, background: 8 }
/** All cores but one, which serves readers. */
export const modelThreads = Math.max(1, availableParallelism() - 1)
/** Maximum tokens of a run with padding, unless a single text has more. Few, so that a question does not wait long. */
const maxRunTokens = 128
/** Characters. No token of ordinary text is longer. */
const maxTokenLength = 16

export interface LocalEmbedder extends Embedder {
  /** The same model, with low priority. */
  background: Embedder
  close(): Promise<void>
}

/** A tokenized text. `place`: its position in the call. */
interface Encoded {
  place: number
  ids: number[]
}

/** Opens the model files in `folder`. Rejects with an error that names the invalid file. */
export async function openLocalEmbedder(folder: string, model: LocalModel): Promise<LocalEmbedder> {
  const tokenizer = await openTokenizer(join(folder, 'tokenizer.json'))
  const session = await openSession(join(folder, 'model.onnx'), model)

  /** Throws ModelError(refused) if the tokenizer fails. */
  function encode(kind: TextKind, text: string, place: number): Encoded {
    const max = model.maxTokens[kind]
    try {
      const { ids } = tokenizer.encode((model.prefix[kind] + text).slice(0, maxTokenLength * max))
      // Keeps the last token, which marks the end.
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
          const results = await inTurn(lane, () => runModel(session, run))
          for (const [n, { place }] of run.entries()) vectors[place] = results[n]!
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
    if (tokenizer.encode('documentation').ids.length < 3) throw new Error('it returns no tokens')
    return tokenizer
  } catch (cause) {
    throw toInvalid(path, 'the tokenizer of an embedding model', cause)
  }
}

async function openSession(path: string, { dimensions }: LocalModel): Promise<InferenceSession> {
  try {
    const session = await InferenceSession.create(path, {
      intraOpNumThreads: modelThreads,
      // No thread spins, and no arena keeps the memory of the largest run.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      enableCpuMemArena: false,
      enableMemPattern: false,
    })
    const [vector] = await runModel(session, [{ place: 0, ids: [0, 1, 2] }])
    if (vector!.length !== dimensions) throw new Error(`its vectors have ${vector!.length} dimensions`)
    return session
  } catch (cause) {
    throw toInvalid(path, `an embedding model of ${dimensions} dimensions`, cause)
  }
}

const toInvalid = (path: string, what: string, cause: unknown) =>
  new Error(`${path} is not ${what}: ${(cause as Error).message}`, { cause })

/** Groups texts of similar length, because padding is computed too. */
function toRuns(encoded: Encoded[]): Encoded[][] {
  const runs: Encoded[][] = []
  for (const text of encoded.toSorted((a, b) => a.ids.length - b.ids.length)) {
    const run = runs.at(-1)
    if (run && (run.length + 1) * text.ids.length <= maxRunTokens) run.push(text)
    else runs.push([text])
  }
  return runs
}

/** Returns a unit vector per text: the mean of the vectors of its tokens. */
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
  const inputs = { input_ids: ids, attention_mask: mask, token_type_ids: types }
  const shape = [run.length, width]
  const feeds = Object.entries(inputs)
    .filter(([name]) => session.inputNames.includes(name))
    .map(([name, values]) => [name, new Tensor('int64', values, shape)])
  const { last_hidden_state: states } = await session.run(Object.fromEntries(feeds), ['last_hidden_state'])
  if (!(states?.data instanceof Float32Array) || states.dims.length !== 3)
    throw new Error('it returns no token states')
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
  if (!(length > 0 && Number.isFinite(length))) throw new Error('a vector has no length')
  return sum.map((value) => value / length)
}

/** Readers wait for `question` and `passage`, nobody for `background`. */
export type Lane = TextKind | 'background'

/** Milliseconds after a reader's run before the next background run, since a reader who types soon sends another query. */
const quietTime = 500
/** Maximum milliseconds that a background run waits for readers. */
const maxWait = 2_000

const readers: TextKind[] = ['question', 'passage']

export type RunQueue = <Result>(lane: Lane, run: () => Promise<Result>) => Promise<Result>

/** Runs one at a time: questions first, then passages, then background. A failed run rejects with ModelError(refused). */
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
