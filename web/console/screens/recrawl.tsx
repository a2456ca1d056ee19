// Recrawls a page: a button, and the outcome as it arrives.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { useEvery } from '../load.ts'
import { State } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { Recrawl } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'

const isEnded = ({ status }: Recrawl) => status !== 'queued' && status !== 'running'

export interface RecrawlState {
  recrawl: Recrawl | null
  error: string
  isLive: boolean
  start(): void
}

/** `whenRead`: called when the page may have changed. */
export function useRecrawl(slug: string, url: string, whenRead: () => void): RecrawlState {
  const [recrawl, setRecrawl] = useState<Recrawl | null>(null)
  const [error, setError] = useState('')
  const isLive = recrawl !== null && !isEnded(recrawl)

  async function act(call: () => Promise<Recrawl>) {
    try {
      const now = await call()
      setError('')
      setRecrawl(now)
      if (isEnded(now)) whenRead()
    } catch (cause) {
      setError((cause as ApiError).message)
    }
  }

  useEvery(isLive ? 2_000 : null, () =>
    act(() => api.get<Recrawl>(projectPath(slug, `recrawl/${recrawl!.uuid}/`))),
  )
  const start = () => void act(() => api.post<Recrawl>(projectPath(slug, 'recrawl/'), { url }))
  return { recrawl, error, isLive, start }
}

export function RecrawlButton({ isLive, start }: RecrawlState) {
  if (!may('sync_create')) return null
  return (
    <button type="button" disabled={isLive} onClick={start}>
      Recrawl
    </button>
  )
}

const sentences: Record<Recrawl['status'], string> = {
  queued: 'The recrawl waits for its turn.',
  running: 'The page is being read.',
  indexed: 'The page was read and is in the index as it is now.',
  unchanged: 'The page was read. Its text is the same as before.',
  dropped: 'Nothing was indexed.',
}

const tones: Record<Recrawl['status'], string> = {
  ...{ queued: '', running: '', indexed: 'good', unchanged: 'good', dropped: 'bad' },
}

/** Announced as it changes. */
export function RecrawlOutcome({ recrawl, error }: RecrawlState) {
  return (
    <>
      <div role="status">
        {recrawl && (
          <div class={`notice ${tones[recrawl.status]}`}>
            <div>
              <p>
                <strong>
                  <State name={recrawl.status} />
                  {recrawl.status === 'dropped' && ` (${recrawl.detail ?? recrawl.reason})`}
                </strong>
              </p>
              <p>{recrawl.status === 'dropped' ? explainDrop(recrawl) : sentences[recrawl.status]}</p>
            </div>
          </div>
        )}
      </div>
      {error && (
        <div class="notice bad" role="alert">
          <p>{error}</p>
        </div>
      )}
    </>
  )
}

function explainDrop({ reason, detail, message }: Recrawl): string {
  const remedy = remedies[detail ?? reason ?? '']
  return [sentences.dropped, message, remedy?.remedy].filter(Boolean).join(' ')
}
