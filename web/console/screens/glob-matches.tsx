// The number of known pages that match the globs, updated while they are typed.
import { useLoad, useSettled } from '../load.ts'
import { nameFields } from '../parts/form.tsx'
import { formatNumber } from '../parts/values.tsx'
import type { SourceType } from '../rows.ts'
import { api } from '../session.ts'
import { readLabels } from '../source-types.ts'
import { projectPath } from '../sources.ts'

interface Matches {
  matched: number
  total: number
  excluded: string[]
  is_whole: boolean
}

interface GlobMatchesProps {
  slug: string
  type: SourceType
  uuid: string | null
  source: Record<string, unknown>
}

export function GlobMatches({ slug, type, uuid, source }: GlobMatchesProps) {
  const { include, exclude } = source
  const given = uuid === null ? source : { include, exclude }
  const body = useSettled(JSON.stringify({ source: given, ...(uuid !== null && { source_uuid: uuid }) }))
  const { value, error } = useLoad(
    (signal) =>
      uuid === null && !source.url
        ? Promise.resolve(null)
        : api.post<Matches>(projectPath(slug, 'pages/match/'), JSON.parse(body), signal),
    [slug, body],
  )
  return (
    <div class="card" role="status">
      <h2>Matching pages</h2>
      {error ? (
        <p class="error">{nameFields(error, readLabels(type))}</p>
      ) : value === null ? (
        <p class="quiet">Enter the address first.</p>
      ) : value.total === 0 ? (
        <p class="quiet">No page is known below the address yet. A sync finds them.</p>
      ) : (
        <>
          <p>
            <strong>
              {formatNumber(value.matched)} of {formatNumber(value.total)} pages match
            </strong>
            {!value.is_whole && ', of those that were compared'}
          </p>
          {value.excluded.length > 0 && (
            <details>
              <summary>Excluded, for example</summary>
              <ul class="addresses">
                {value.excluded.map((url) => (
                  <li key={url}>{url}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  )
}
