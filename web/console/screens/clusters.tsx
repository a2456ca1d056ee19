// Groups of similar questions, with the nearest pages of each.
import { useState } from 'preact/hooks'
import { projectHref } from '../address.ts'
import { addQuestion } from '../evaluation.ts'
import { say, sayError } from '../parts/toasts.tsx'
import { formatNumber, Outside } from '../parts/values.tsx'
import type { ExplainedSearch, QuestionCluster } from '../reader-rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'

export function Clusters({ slug, clusters }: { slug: string; clusters: QuestionCluster[] }) {
  if (clusters.length === 0) return <p class="quiet">None in this period.</p>
  return (
    <ul class="clusters">
      {clusters.map((cluster) => (
        <Cluster key={cluster.question} slug={slug} cluster={cluster} />
      ))}
    </ul>
  )
}

type Found = ExplainedSearch['results']

function Cluster({
  slug,
  cluster: { question, count, examples },
}: {
  slug: string
  cluster: QuestionCluster
}) {
  const [nearest, setNearest] = useState<Found | null>(null)
  const others = examples.filter((each) => each !== question)

  async function find() {
    const query = { q: question, limit: 5 }
    setNearest((await api.get<ExplainedSearch>(projectPath(slug, 'search/explain/'), query)).results)
  }

  return (
    <li>
      <div class="head">
        <span>
          <strong dir="auto">{question}</strong> <span class="quiet">{formatNumber(count)}×</span>
        </span>
        <div class="row">
          {may('search') && (
            <button
              type="button"
              aria-label={`Nearest pages of ${question}`}
              onClick={() => void find().catch(sayError)}
            >
              Nearest pages
            </button>
          )}
          {may('search') && (
            <button
              type="button"
              aria-label={`Add to evaluation: ${question}`}
              onClick={() => {
                addQuestion(question)
                say('The question was added to the evaluation of this tab.')
              }}
            >
              Add to evaluation
            </button>
          )}
          <a href={projectHref(slug, 'try', { q: question })}>Try</a>
        </div>
      </div>
      {others.length > 0 && <p class="quiet">Also: {others.join(' · ')}</p>}
      {nearest && (
        <ol class="addresses" aria-label={`Nearest pages of ${question}`}>
          {nearest.length === 0 && <li>No similar page.</li>}
          {nearest.map(({ url, title, score }) => (
            <li key={url}>
              <Outside url={url}>{title}</Outside> <span class="quiet">{score.toFixed(3)}</span>
            </li>
          ))}
        </ol>
      )}
    </li>
  )
}
