// Where evaluations are kept: a line each, in a file beside the questions, for people to read, compare and commit.
import { appendFile, readFile } from 'node:fs/promises'
import type { Outcome } from './outcome.ts'
import type { Scores } from './scores.ts'

/** What the project was searched and answered with. */
export interface Settings {
  page_count: number
  /** The latest sync: when it ended, or its status where it has not. */
  last_sync: string | null
  model: string
  prompt_version: string
  /** Null: by words alone. */
  embeddings: string | null
  /** Sections of the index that have their vectors, of all; null without embeddings. */
  embedded: string | null
}

export interface Evaluation {
  /** RFC 3339. */
  at: string
  project: string
  /** SHA-256 of the questions' file. */
  questions: string
  search_only: boolean
  settings: Settings
  scores: Scores
  outcomes: Outcome[]
}

/** `docs/questions.jsonl` → `docs/questions.results.jsonl` */
export function resultsPath(questionsPath: string): string {
  return `${questionsPath.replace(/\.jsonl?$/i, '')}.results.jsonl`
}

/** The last evaluation of the project of the same kind; null where there is none. Broken lines are ignored. */
export async function readLast(
  path: string,
  { project, search_only }: Pick<Evaluation, 'project' | 'search_only'>,
): Promise<Evaluation | null> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const kept = text.split('\n').map(readLine)
  return kept.findLast((each) => each?.project === project && each.search_only === search_only) ?? null
}

export function keep(path: string, evaluation: Evaluation): Promise<void> {
  return appendFile(path, `${JSON.stringify(evaluation)}\n`)
}

function readLine(line: string): Evaluation | null {
  try {
    const value = JSON.parse(line)
    return value?.scores && Array.isArray(value.outcomes) ? value : null
  } catch {
    return null
  }
}
