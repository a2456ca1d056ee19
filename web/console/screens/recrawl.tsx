// A button that reads one page again, and follows it to its outcome.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { useEvery } from '../load.ts'
import { State } from '../parts/values.tsx'
import { remedies } from '../remedies.ts'
import type { Recrawl } from '../rows.ts'
import { api, may } from '../session.ts'
import { projectPath } from '../sources.ts'

const isEnded = ({ status }: Recrawl) => status !== 'queued' && status !== 'running'

/** `whenRead`: what is known of the page may have changed. */
export function RecrawlButton({ slug, url, whenRead }: { slug: string; url: string; whenRead(): void }) {
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

  if (!may('sync_create')) return null
  return (
    <div class="recrawl">
      <button
        type="button"
        disabled={isLive}
        onClick={() => void act(() => api.post<Recrawl>(projectPath(slug, 'recrawl/'), { url }))}
      >
        Recrawl
      </button>
      <p role="status">
        {recrawl && <State name={recrawl.status} />}
        {recrawl?.status === 'dropped' && ` ${explainDrop(recrawl)}`}
      </p>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

function explainDrop({ reason, detail, message }: Recrawl): string {
  const remedy = remedies[detail ?? reason ?? '']
  return [`(${detail ?? reason})`, message, remedy?.remedy].filter(Boolean).join(' ')
}
