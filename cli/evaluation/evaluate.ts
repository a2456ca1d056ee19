// `lectern eval`: asks the questions of a file, scores what came, keeps it, and compares it with the last time.
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { AnswerSetup } from '../../gen/lectern/v1/project_pb.js'
import { RunStatus } from '../../gen/lectern/v1/sync_pb.js'
import type { CoreClient } from '../client.ts'
import { type PrintOptions, printJsonLine } from '../print.ts'
import { changedQuestions, changedSettings } from './comparison.ts'
import { checkMayDelete, type Outcome, readOutcome } from './outcome.ts'
import { openQuestions, type Question, QuestionError } from './questions.ts'
import { printEvaluation } from './report.ts'
import { type Evaluation, keep, readLast, resultsPath, type Settings } from './results-file.ts'
import { scoresOf } from './scores.ts'

interface EvaluateOptions extends PrintOptions {
  searchOnly?: boolean
  /** Where it is kept; beside the questions if left out. */
  results?: string
}

/** Questions that are asked side by side: a model answers some while search works on others. */
const atOnce = 2

export async function evaluate(
  client: CoreClient,
  slug: string,
  path: string,
  { searchOnly = false, results = resultsPath(path), json }: EvaluateOptions,
): Promise<void> {
  const { questions, hash } = await openQuestions(path)
  const { setup } = await client.projects.getAnswerSetup({ slug })
  if (!searchOnly) await checkMayDelete(client, slug)
  const stop = new AbortController()
  // What is under way comes to its end: only then its chat is known and can be deleted.
  process.once('SIGINT', () => stop.abort(new QuestionError('stopped; nothing was kept')))
  const outcomes = await askAll(questions, stop.signal, (question) =>
    readOutcome(client, slug, question, searchOnly),
  )
  const now: Evaluation = {
    at: new Date().toISOString(),
    project: slug,
    questions: hash,
    search_only: searchOnly,
    settings: toSettings(setup!),
    scores: scoresOf(outcomes),
    outcomes,
  }
  const before = await readLast(results, now)
  await keep(results, now)
  if (!json) return printEvaluation(now, before)
  const comparison = before && {
    at: before.at,
    scores: before.scores,
    settings: changedSettings(before.settings, now.settings),
    questions: changedQuestions(before, now),
  }
  printJsonLine(JSON.parse(JSON.stringify({ ...now, comparison })))
}

/** In the order of the questions. Rejects with the signal's reason, once what is under way has been put away. */
async function askAll(
  questions: Question[],
  signal: AbortSignal,
  ask: (question: Question) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const failures: unknown[] = []
  let next = 0
  let done = 0
  const work = async () => {
    while (next < questions.length && !signal.aborted && failures.length === 0) {
      const index = next++
      outcomes[index] = await ask(questions[index]!)
      showProgress(++done, questions.length)
    }
  }
  const workers = Array.from({ length: atOnce }, () => work().catch((error) => failures.push(error)))
  await Promise.all(workers)
  signal.throwIfAborted()
  if (failures.length > 0) throw failures[0]
  return outcomes
}

function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\u001b[2K${done < all ? `${done} of ${all} questions` : ''}`)
}

function toSettings({ pageCount, lastSync, model, promptVersion, embedding }: AnswerSetup): Settings {
  const ended = lastSync?.finishedAt && timestampDate(lastSync.finishedAt).toISOString()
  return {
    page_count: pageCount,
    last_sync: lastSync ? (ended ?? RunStatus[lastSync.status].toLowerCase()) : null,
    model,
    prompt_version: promptVersion,
    embeddings: embedding?.model ?? null,
    embedded: embedding ? `${embedding.done} of ${embedding.total}` : null,
  }
}
