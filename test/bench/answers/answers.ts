// Answers: what is refused, what is cited, and what the check of citations says, on the real manuals.

import { isRefusal } from '../../../services/answer/refusal.ts'
import type { LecternProcess } from '../../e2e/lectern-process.ts'
import { startLectern } from '../../e2e/lectern-process.ts'
import { openScriptedProvider } from '../../model/scripted-provider.ts'
import type { BenchOptions } from '../bench.ts'
import { addProject, openLectern, search, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals, type Manual } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { mean } from '../statistics.ts'
import { type ChatQuestion, type Half, readChatQuestions } from './chat-questions.ts'
import { type ClaimScore, judgeClaims } from './claims.ts'
import { quotesPassages } from './plain-script.ts'

const targets = { refused: 0.95, refusedWrongly: 0.05, cited: 0.9, claims: 0.9 }
/** `retrieval had it`: the page is among those of the first ten results of a search for the question. */
const firstResults = 10

interface Outcome extends ChatQuestion {
  isRefused: boolean
  /** Pages of the sources. */
  cited: string[]
  isFound: boolean
}

interface Row extends Record<string, string | number> {
  manual: string
  half: Half
  model: string
  answerable: number
  'answerable refused': number
  unanswerable: number
  'unanswerable refused': number
  found: number
  'cited page holds the answer': number
}

export async function measureAnswers({ closing }: BenchOptions): Promise<Table[]> {
  const halves: Half[] = closing ? ['open', 'closing'] : ['open']
  const lectern = await openLectern()
  const site = await openManualSite()
  const provider = await openScriptedProvider()
  provider.chat.fallback = quotesPassages
  const rows: Row[] = []
  try {
    for (const { name, indexPages } of largeManuals) {
      const exclude = indexPages.map((glob) => `/${name}/${glob}`)
      await addProject(lectern, name, {
        url: `${site.origin}/${name}/index.html`,
        include: ['**.html'],
        exclude,
      })
      await sync(lectern, name)
    }
    rows.push(...(await askAll(lectern, 'extractive', halves)))
    await lectern.kill('SIGTERM')
    const env = { LECTERN_LLM_URL: provider.url, LECTERN_LLM_MODEL: 'scripted' }
    const scripted = await startLectern({ data: lectern.data, env })
    try {
      const before = provider.chat.calls.length
      const asked = await askAll(scripted, 'scripted', halves)
      const answers = asked.reduce(
        (sum, row) =>
          sum +
          row.answerable * (1 - row['answerable refused']) +
          row.unanswerable * (1 - row['unanswerable refused']),
        0,
      )
      if (provider.chat.calls.length - before !== Math.round(answers))
        throw new Error('a refusal asked the model')
      rows.push(...asked)
    } finally {
      await scripted.kill('SIGTERM')
    }
  } finally {
    await provider.close()
    await site.close()
    await lectern.remove()
  }
  const claims = (await Promise.all(halves.map((half) => judgeClaims(half)))).flat()
  return [
    {
      title: 'Answers: refusals and cited pages',
      rows,
      notes: [
        `found: answerable questions with a right page in the first ${firstResults} results`,
        'cited page holds the answer: share of these with a right page among the sources',
      ],
    },
    { title: 'Citation check: pairs of claim and passage', rows: claims.map((score) => ({ ...score })) },
    toTargets(rows, claims, halves.at(-1)!),
  ]
}

async function askAll(lectern: LecternProcess, model: string, halves: Half[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const manual of largeManuals) {
    for (const half of halves) {
      const outcomes: Outcome[] = []
      for (const question of readChatQuestions(manual).filter(({ set }) => set === half)) {
        outcomes.push(await ask(lectern, manual, question))
      }
      rows.push(toRow(manual, half, model, outcomes))
    }
  }
  return rows
}

async function ask(lectern: LecternProcess, { name }: Manual, question: ChatQuestion): Promise<Outcome> {
  const toPath = (url: string) => new URL(url).pathname.slice(`/${name}/`.length)
  const { status, body } = await lectern.call('POST', `/api/v2/projects/${name}/chats/`, {
    message: question.question,
  })
  if (status !== 201) throw new Error(`${question.id}: ${status} ${JSON.stringify(body)}`)
  const sources: { url: string }[] = body.ai_message.sources
  const cited = sources.map(({ url }) => toPath(url))
  const found = (await search(lectern, name, `${question.question} `, firstResults)).map(toPath)
  return {
    ...question,
    cited,
    isRefused: isRefusal(body.ai_message.message),
    isFound: found.some((page) => question.pages.includes(page)),
  }
}

function toRow(manual: Manual, half: Half, model: string, outcomes: Outcome[]): Row {
  const answerable = outcomes.filter(({ pages }) => pages.length > 0)
  const unanswerable = outcomes.filter(({ pages }) => pages.length === 0)
  const found = answerable.filter(({ isFound }) => isFound)
  const share = (of: Outcome[], holds: (outcome: Outcome) => boolean) =>
    mean(of.map((each) => (holds(each) ? 1 : 0)))
  return {
    manual: manual.name,
    half,
    model,
    answerable: answerable.length,
    'answerable refused': share(answerable, ({ isRefused }) => isRefused),
    unanswerable: unanswerable.length,
    'unanswerable refused': share(unanswerable, ({ isRefused }) => isRefused),
    found: found.length,
    'cited page holds the answer': share(found, ({ cited, pages }) =>
      cited.some((page) => pages.includes(page)),
    ),
  }
}

function toTargets(rows: Row[], claims: ClaimScore[], half: Half): Table {
  const judged = rows.filter((row) => row.half === half)
  return {
    title: `Answers: targets, on the ${half} half`,
    rows: [
      ...judged.flatMap((row) => [
        toTarget(
          `${row.manual}, ${row.model}: unanswerable refused`,
          row['unanswerable refused'],
          '≥',
          targets.refused,
        ),
        toTarget(
          `${row.manual}, ${row.model}: answerable refused`,
          row['answerable refused'],
          '≤',
          targets.refusedWrongly,
        ),
      ]),
      ...judged
        .filter(({ model }) => model === 'extractive')
        .map((row) =>
          toTarget(
            `${row.manual}: cited page holds the answer`,
            row['cited page holds the answer'],
            '≥',
            targets.cited,
          ),
        ),
      ...claims
        .filter((score) => score.half === half)
        .map(({ pairs, right }) => toTarget(`pairs ${pairs} judged right`, right, '≥', targets.claims)),
    ],
  }
}
