// Conversations without a language model: the cost of a typo, and whether a follow-up finds what the previous question is about.
// Small talk is tested in services/answer/small-talk.test.ts.
import { type AskedQuestion, askInProcess, holdsPhrase } from '../answers/excerpts.ts'
import { readQuestions, toHolds } from '../manuals/manual-questions.ts'
import { toTypingError } from '../quality/queries.ts'
import type { Table } from '../report.ts'
import { type Manual, manuals, requireManuals } from '../site/manuals.ts'
import { createRandom } from '../statistics.ts'
import followUps from './follow-ups.json' with { type: 'json' }

export async function measureConversation(names = ['python', 'postgresql', 'git']): Promise<Table[]> {
  const judged = manuals.filter(({ name }) => names.includes(name))
  requireManuals(judged)
  const typos: Table['rows'] = []
  const follow: Table['rows'] = []
  for (const manual of judged) {
    const random = createRandom(1)
    const asked = readQuestions(manual).flatMap(({ question, phrases }) =>
      phrases ? [{ question, holds: toHolds(phrases), pages: [] }] : [],
    )
    const own = followUps.filter((row) => row.manual === manual.name)
    const sets = {
      'as it is': asked,
      'with a typo': asked.map((ask) => ({ ...ask, question: plantTypo(ask.question, random) })),
      'follow-ups': own.map(({ question, before }) => ({ question, before, holds: null, pages: [] })),
    }
    const outcomes = await askInProcess(manual, Object.values(sets).flat())
    for (const [by, all] of Object.entries(outcomes)) {
      const [plain, mistyped] = [all.slice(0, asked.length), all.slice(asked.length, 2 * asked.length)]
      for (const [set, some] of Object.entries({ 'as it is': plain, 'with a typo': mistyped })) {
        const answered = some.filter(({ verdict }) => verdict === 'answered')
        typos.push({
          ...{ manual: manual.name, by, set, questions: some.length },
          ...{ answered: answered.length, 'phrase held': answered.filter(holdsPhrase).length },
          corrected: some.filter(({ content }) => content.startsWith('Searched for: ')).length,
        })
      }
      const replies = all.slice(2 * asked.length)
      const right = (isNew: boolean, count: number) =>
        own.filter(
          (row, at) => (row.newSubject === true) === isNew && isRight(manual, row.pages, replies[at]!, count),
        ).length
      follow.push({
        ...{ manual: manual.name, by },
        'follow-ups': own.filter(({ newSubject }) => !newSubject).length,
        ...{ 'quoted right': right(false, 1), 'quoted or linked': right(false, 4) },
        'new subjects': own.filter(({ newSubject }) => newSubject).length,
        ...{ 'quoted right ': right(true, 1), 'quoted or linked ': right(true, 4) },
      })
    }
  }
  return [
    { title: 'Conversations: questions with one typo', rows: typos },
    { title: 'Conversations: after another question', rows: follow },
  ]
}

function isRight({ name }: Manual, pages: string[], { urls }: AskedQuestion, count: number): boolean {
  return urls
    .slice(0, count)
    .some((url) => pages.some((page) => url.split('#')[0]!.endsWith(`/${name}/${page}`)))
}

/** In the longest of its plain words. */
function plantTypo(question: string, random: () => number): string {
  const words = question.match(/(?<![\p{L}\p{N}_.'-])\p{Ll}+(?![\p{L}\p{N}_'(-])/gu) ?? []
  const [longest] = words.toSorted((a, b) => b.length - a.length)
  const typo = longest === undefined ? null : toTypingError(longest, random)
  return typo === null ? question : question.replace(longest!, typo)
}
