// Short messages about completed actions. An error stays until it is closed.
import { createStore, useStore } from '../../components/store.ts'

interface Toast {
  id: number
  text: string
  isError: boolean
}

const shown = createStore<Toast[]>([])
const shownMs = 6_000
let lastId = 0

export function say(text: string, { isError = false } = {}): void {
  const id = ++lastId
  shown.value = [...shown.value, { id, text, isError }]
  if (!isError) setTimeout(() => close(id), shownMs)
}

/** Reports the failure of an action. */
export function sayError(error: unknown): void {
  if ((error as Error)?.name !== 'AbortError') say((error as Error).message, { isError: true })
}

function close(id: number) {
  shown.value = shown.value.filter((each) => each.id !== id)
}

export function Toasts() {
  const toasts = useStore(shown)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isError }) => (
        <p key={id} class={isError ? 'toast bad' : 'toast'}>
          {text}
          <button class="plain" type="button" aria-label="Close the message" onClick={() => close(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  )
}
