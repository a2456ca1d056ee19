// A button that starts a sync, or leads to the running one.
import { useState } from 'preact/hooks'
import { go, projectHref } from '../address.ts'
import type { SyncRun } from '../rows.ts'
import { isLive, startSync } from '../runs.ts'
import { may } from '../session.ts'
import { sayError } from './toasts.tsx'

/** Starting a sync cancels the running one, so the button leads there instead. */
export function StartSync({
  slug,
  runs,
  style = '',
}: {
  slug: string
  runs: SyncRun[]
  style?: 'primary' | ''
}) {
  const [isBusy, setBusy] = useState(false)
  if (!may('sync_create')) return null
  const live = runs.find(({ status }) => isLive(status))
  if (live) {
    return (
      <a class={`button ${style}`} href={projectHref(slug, `runs/${live.uuid}`)}>
        A sync is running
      </a>
    )
  }
  async function start() {
    setBusy(true)
    try {
      const { uuid } = await startSync(slug)
      go(projectHref(slug, `runs/${uuid}`))
    } catch (error) {
      sayError(error)
      setBusy(false)
    }
  }
  return (
    <button class={style} type="button" disabled={isBusy} onClick={() => void start()}>
      Start a sync
    </button>
  )
}
