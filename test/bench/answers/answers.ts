// Answers: the outcomes of questions, and whether a right page supports an answer, on the real manuals, as measured by
// `lectern eval`.
import { connect, createCliClient } from '../../../cli/client.ts'
import { readOutcome } from '../../../cli/evaluate.ts'
import { computeScores, type QuestionResult } from '../../../cli/scores.ts'
import { readConfig } from '../../../services/config.ts'
import { adminKey, type LecternProcess, startLectern } from '../../e2e/lectern-process.ts'
import { openScriptedProvider } from '../../model/scripted-provider.ts'
import { weightsSettings } from '../../model/weights.ts'
import type { BenchOptions } from '../bench-options.ts'
import { addManual, embedded, isEmbedded, openLectern, sync } from '../lectern.ts'
import { manualsToJudge, readJudged } from '../manuals/sealed.ts'
import { type Table, toTarget } from '../report.ts'
import { type Manual, requireManuals } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { measureExcerpts } from './excerpts.ts'
import { quotesPassages } from './plain-script.ts'

const targets = { notAnswered: 0.9, answered: 0.9, quoted: 0.8 }

export async function measureAnswers(options: BenchOptions): Promise<Table[]> {
  const judged = manualsToJudge(options)
  requireManuals(judged)
  const lectern = await openLectern({ env: weightsSettings })
  const site = await openManualSite(judged)
  const provider = await openScriptedProvider()
  provider.chat.fallback = quotesPassages
  const rows: Row[] = []
  try {
    for (const manual of judged) {
      await addManual(lectern, manual, site.origin)
      await sync(lectern, manual.name)
      if (isEmbedded(manual)) await embedded(lectern, manual.name)
    }
    rows.push(...(await askAll(lectern, 'extractive', judged)))
    await lectern.kill('SIGTERM')
    const env = { ...weightsSettings, LECTERN_LLM_URL: provider.url, LECTERN_LLM_MODEL: 'scripted' }
    const scripted = await startLectern({ data: lectern.data, env })
    try {
      const before = provider.chat.calls.length
      const asked = await askAll(scripted, 'scripted', judged)
      const notRefused = asked.reduce((sum, row) => sum + row.notRefused, 0)
      if (provider.chat.calls.length - before > notRefused) throw new Error('a refusal asked the model')
      rows.push(...asked)
    } finally {
      await scripted.kill('SIGTERM')
    }
  } finally {
    await provider.close()
    await site.close()
    await lectern.remove()
  }
  return [
    {
      title: 'Answers: what came of the questions',
      rows: rows.map(({ notRefused, ...row }) => row),
      notes: [
        'out of sample: the sealed manuals, and the rows `all but …` of fit-evidence, which reads all the others',
        'of the answerable and of the unanswerable questions: shares answered, pointed to sections, refused',
        'right page behind it: of the answered ones whose right page search has among its first ten, the share that has it among the sources',
      ],
    },
    toTargets(rows),
    ...(await measureExcerpts(options)),
  ]
}

interface Row {
  manual: string
  model: string
  questions: number
  answered: number | null
  pointed: number | null
  refused: number | null
  unanswerable: number
  'answered too': number | null
  'pointed too': number | null
  'refused rightly': number | null
  'right page behind it': number | null
  /** Questions of both kinds that may have reached the model. */
  notRefused: number
}

async function askAll(lectern: LecternProcess, model: string, judged: readonly Manual[]): Promise<Row[]> {
  const settings = { LECTERN_GRPC: lectern.grpc, LECTERN_API_KEY: adminKey, LECTERN_DATA: lectern.data }
  const client = createCliClient(await connect(readConfig(settings)))
  const rows: Row[] = []
  for (const manual of judged) {
    const outcomes: QuestionResult[] = []
    for (const { question, pages } of toQuestions(manual))
      outcomes.push(await readOutcome(client, manual.name, { question, pages }, false))
    const scores = computeScores(outcomes)
    rows.push({
      manual: manual.name,
      model,
      questions: outcomes.filter(({ answerable }) => answerable).length,
      answered: scores.answered_answerable,
      pointed: scores.pointed_answerable,
      refused: scores.refused_answerable,
      unanswerable: outcomes.filter(({ answerable }) => !answerable).length,
      'answered too': scores.answered_unanswerable,
      'pointed too': scores.pointed_unanswerable,
      'refused rightly': scores.refused_unanswerable,
      'right page behind it': scores.cited_page_found,
      notRefused: outcomes.filter(({ answered }) => answered !== 'refused').length,
    })
  }
  return rows
}

/** A right page counts, whichever of its sections is labeled. */
function toQuestions(manual: Manual): { question: string; pages: string[] }[] {
  const { questions, unanswerable } = readJudged(manual)
  const answerable = questions.map(({ question, pages }) => ({
    question,
    pages: pages.map((page) => `${manual.name}/${page.split('#')[0]}`),
  }))
  return [...answerable, ...unanswerable.map(({ question }) => ({ question, pages: [] }))]
}

function toTargets(rows: Row[]): Table {
  const { notAnswered, answered, quoted } = targets
  return {
    title: 'Answers: targets, without a language model',
    rows: rows
      .filter(({ model }) => model === 'extractive')
      .flatMap((row) => [
        toTarget(
          `${row.manual}: unanswerable refused or pointed`,
          1 - (row['answered too'] ?? 1),
          '≥',
          notAnswered,
        ),
        toTarget(`${row.manual}: answerable answered`, row.answered ?? 0, '≥', answered),
        toTarget(`${row.manual}: right page behind it`, row['right page behind it'] ?? 0, '≥', quoted),
      ]),
  }
}
