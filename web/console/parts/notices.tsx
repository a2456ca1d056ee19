// Shown in place of content: a failure with a way to continue, an empty state with the next step, and waiting.
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api.ts'

export function Failure({ error, onRetry }: { error: Pick<ApiError, 'message'>; onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** `children`: the next step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

export function Waiting() {
  return (
    <p class="quiet waiting" role="status">
      Loading…
    </p>
  )
}

/** The head of a screen: its title, description and actions. */
export function Head({
  title,
  about,
  children,
}: {
  title: string
  about?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {about && <p class="quiet">{about}</p>}
      </div>
      {children && <div class="row">{children}</div>}
    </div>
  )
}
