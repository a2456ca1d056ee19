// Models that break exactly one promise each: wrappers over a good one. The cases named must notice.
import { setTimeout as pause } from 'node:timers/promises'
import { type AnswerRequest, type Model, ModelError, type ModelPart } from '../../services/model/model.ts'
import type { ProviderSetting } from './model.suite.ts'

export interface BrokenModel {
  promise: string
  /** The cases that notice. */
  cases: RegExp
  breaks(good: Model, setting: ProviderSetting): Model['answer']
}

/** With what `change` makes of each part. */
const changing =
  (change: (part: ModelPart) => ModelPart | null): BrokenModel['breaks'] =>
  (good) =>
    async function* answer(request, signal) {
      for await (const part of good.answer(request, signal)) {
        const changed = change(part)
        if (changed) yield changed
      }
    }

/** With the texts that `change` makes. */
const rewriting = (change: (text: string) => string) =>
  changing((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part))

/** Throwing what `change` makes of an error. */
const throwing =
  (change: (error: unknown) => unknown): BrokenModel['breaks'] =>
  (good) =>
    async function* answer(request, signal) {
      try {
        yield* good.answer(request, signal)
      } catch (error) {
        throw change(error)
      }
    }

const never = new AbortController().signal

/** The request that came last, whoever's it was. */
let latest: AnswerRequest

export const brokenModels: BrokenModel[] = [
  {
    promise: 'words come as they are said',
    cases: /^streams words/,
    breaks: (good) =>
      async function* answer(request, signal) {
        const parts: ModelPart[] = []
        for await (const part of good.answer(request, signal)) parts.push(part)
        yield* parts
      },
  },
  {
    promise: 'an answer has an end',
    cases: /^ends with stop$/,
    breaks: changing((part) => (part.type === 'end' ? null : part)),
  },
  {
    promise: 'the end says why',
    cases: /^ends with (length|content_filter)$/,
    breaks: changing((part) => (part.type === 'end' ? { ...part, reason: 'stop' } : part)),
  },
  {
    promise: 'a fault is told by its kind',
    cases: /^a provider that|^a redirect|^what is no stream/,
    breaks: throwing(() => new Error('something went wrong')),
  },
  {
    promise: 'silence is told apart from absence',
    cases: /hangs|^signs of life/,
    breaks: throwing((error) =>
      error instanceof ModelError && error.fault === 'silent' ? new ModelError('unavailable') : error,
    ),
  },
  {
    promise: 'an error does not hold the key',
    cases: /^a provider that (is refused|fails)/,
    breaks: (good, { key }) =>
      throwing((error) =>
        error instanceof ModelError ? new ModelError(error.fault, { authorization: `Bearer ${key}` }) : error,
      )(good, { key, url: '', timeout: 0 }),
  },
  {
    promise: 'nobody is asked twice',
    cases: /^no more than one request|^a provider that fails with 500/,
    breaks: (good) =>
      async function* answer(request, signal) {
        try {
          yield* good.answer(request, signal)
        } catch (error) {
          if (error instanceof ModelError && error.fault !== 'unavailable') throw error
          yield* good.answer(request, signal)
        }
      },
  },
  {
    promise: 'an abort reaches the provider',
    cases: /^an abort/,
    breaks: (good) => (request) => good.answer(request, never),
  },
  {
    promise: 'a reader who leaves is noticed',
    cases: /^who stops reading/,
    breaks: (good) =>
      async function* answer(request, signal) {
        const parts = good.answer(request, signal)[Symbol.asyncIterator]()
        for (let next = await parts.next(); !next.done; next = await parts.next()) yield next.value
      },
  },
  {
    promise: 'the reader’s own time does not count',
    cases: /^a slow reader/,
    breaks: (good, { timeout }) =>
      async function* answer(request, signal) {
        for await (const part of good.answer(request, signal)) {
          const saidAt = performance.now()
          yield part
          if (performance.now() - saidAt > timeout * 1_000) throw new ModelError('silent')
        }
      },
  },
  {
    promise: 'characters are whole',
    cases: /^characters cut/,
    breaks: rewriting((text) => text.replace(/[^\0-\x7f]/g, '?')),
  },
  {
    promise: 'long words are passed on',
    cases: /^a huge token/,
    breaks: rewriting((text) => text.slice(0, 65_536)),
  },
  {
    promise: 'thoughts are kept to itself',
    cases: /^thoughts/,
    breaks: (good) =>
      async function* answer(request, signal) {
        if (request.reason) yield { type: 'text', text: 'The reader wants a yes.' }
        yield* good.answer(request, signal)
      },
  },
  {
    promise: 'the whole conversation is sent',
    cases: /^a cut answer/,
    breaks: (good) => (request, signal) =>
      good.answer({ ...request, messages: request.messages.slice(-2) }, signal),
  },
  {
    promise: 'nothing is kept between calls',
    cases: /^many answers/,
    breaks: (good) =>
      async function* answer(request, signal) {
        latest = request
        await pause(1)
        yield* good.answer(latest, signal)
      },
  },
  {
    promise: 'the settings are all that counts',
    cases: /^the environment/,
    breaks: (good) => (request, signal) => {
      if (process.env.OPENAI_BASE_URL) throw new ModelError('unavailable')
      return good.answer(request, signal)
    },
  },
]
