// Fits the weights of services/answer/review.ts: which questions of the open manuals can be answered, told by what is
// found. Each manual is judged by what the others say; the weights printed last are of all of them.

import { join } from 'node:path'
import { type Evidence, evidenceOf, thresholds } from '../../../services/answer/review.ts'
import { openIndex, openStore } from '../../../services/drivers.ts'
import { openLocalEmbedder } from '../../../services/model/local/local-embedder.ts'
import { createQuestionVectors } from '../../../services/search/question-vectors.ts'
import { createSearch } from '../../../services/search/search.ts'
import { testModel, weights as weightsFolder, weightsSettings } from '../../model/weights.ts'
import { addManual, embedded, isEmbedded, openLectern, sync } from '../lectern.ts'
import { readQuestions, readUnanswerable } from '../manuals/manual-questions.ts'
import type { Table } from '../report.ts'
import { judgedManuals, type Manual } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { fitLogistic, type Sample } from './logistic.ts'

/** The sets of weights: on which manuals each is fitted, and to what. */
const sets: { set: string; fields: (keyof Evidence)[]; hasModel: boolean; fits(manual: Manual): boolean }[] =
  [
    { set: 'with a model', fields: ['nearness', 'coverage', 'unknown'], hasModel: true, fits: isEmbedded },
    { set: 'by words', fields: ['coverage', 'unknown'], hasModel: false, fits: isEnglish },
    {
      set: 'by other words',
      fields: ['coverage', 'unknown'],
      hasModel: false,
      fits: (each) => !isEnglish(each),
    },
  ]

interface Case extends Sample<keyof Evidence> {
  manual: string
}

export async function fitEvidence(): Promise<Table[]> {
  const lectern = await openLectern({ env: weightsSettings })
  const manuals = judgedManuals(false)
  const site = await openManualSite(manuals)
  try {
    for (const manual of manuals) {
      await addManual(lectern, manual, site.origin)
      await sync(lectern, manual.name)
      if (isEmbedded(manual)) await embedded(lectern, manual.name)
    }
    await lectern.kill('SIGTERM')
    return await fitFrom(lectern.data, manuals)
  } finally {
    await site.close()
    await lectern.remove()
  }
}

function isEnglish({ language }: Manual): boolean {
  return language === 'en'
}

/** From a data folder that nobody else uses. */
export async function fitFrom(data: string, manuals: Manual[]): Promise<Table[]> {
  const local = await openLocalEmbedder(join(weightsFolder, testModel.name), testModel)
  const rows: Table['rows'] = []
  for (const { set, fields, hasModel, fits } of sets) {
    const fitted = manuals.filter(fits)
    const cases = await readCases(data, fitted, hasModel ? local : null)
    for (const manual of fitted.length > 1 ? fitted : []) {
      const others = fitLogistic(
        cases.filter((each) => each.manual !== manual.name),
        fields,
      )
      const own = cases.filter((each) => each.manual === manual.name)
      const share = (isTrue: boolean, holds: (probability: number) => boolean) => {
        const judged = own.filter((each) => each.isTrue === isTrue)
        return judged.filter((each) => holds(others.probability(each.values))).length / judged.length
      }
      rows.push({
        set,
        on: `all but ${manual.name}`,
        ...others.weights,
        'answerable answered': share(true, (probability) => probability >= thresholds.answered),
        'unanswerable refused': share(false, (probability) => probability < thresholds.refused),
      })
    }
    rows.push({ set, on: 'all', ...fitLogistic(cases, fields).weights })
  }
  await local.close()
  return [{ title: 'Evidence: weights, and what they tell of the manual that was left out', rows }]
}

async function readCases(
  data: string,
  manuals: Manual[],
  embedder: Parameters<typeof createQuestionVectors>[0]['embedder'],
): Promise<Case[]> {
  const backends = { data, mongodb: null, weaviate: null }
  const [store, index] = await Promise.all([openStore(backends), openIndex(backends)])
  const report = (error: unknown) => console.error(error)
  const questionVectors = createQuestionVectors({ embedder, now: Date.now, report })
  const { passages } = createSearch({ store, index, questionVectors })
  const everything = { pageUrl: null, limit: 20, docVersion: null, language: null, sourceTypes: null }
  const cases: Case[] = []
  for (const manual of manuals) {
    const { uuid } = (await store.projects.bySlug(manual.name))!
    const asked = [
      ...readQuestions(manual).map(({ question }) => ({ question, isTrue: true })),
      ...readUnanswerable(manual).map(({ question }) => ({ question, isTrue: false })),
    ]
    for (const { question, isTrue } of asked) {
      const found = await passages({ project: uuid, q: question, ...everything })
      cases.push({ manual: manual.name, values: evidenceOf(question, found), isTrue })
    }
  }
  await Promise.all([index.close(), store.close()])
  return cases
}
