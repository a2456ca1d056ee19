// Keys of the page: `/` and Ctrl K reach the field from anywhere; in the field the arrows choose and Enter opens,
// with Shift asks.
import { moveChoice } from './search-state.js'

/**
 * `actions`: `choose(index)`, `open()`, `ask()`, `openAside()`, `clear()`, and `reveal()` the field; `choice()` gives
 * `{active, count}`.
 */
export function listenToKeys({ input, choice, actions }) {
  document.addEventListener('keydown', (event) => {
    if (reachesField(event)) {
      event.preventDefault()
      actions.reveal()
      input.focus()
      input.select()
    }
  })

  function enter({ shiftKey, ctrlKey, metaKey }) {
    if (shiftKey) actions.ask()
    else if (ctrlKey || metaKey) actions.openAside()
    else actions.open()
  }

  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    const { active, count } = choice()
    const act = {
      Enter: () => enter(event),
      Escape: () => (active >= 0 ? actions.choose(-1) : actions.clear()),
    }[event.key]
    const moved =
      event.shiftKey || event.altKey || event.ctrlKey ? null : moveChoice(event.key, active, count)
    if (!act && moved === null) return
    event.preventDefault()
    if (act) act()
    else actions.choose(moved)
  })
}

function reachesField(event) {
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) return true
  const typing = event.target.closest?.('input:not([type=radio]), textarea, select, [contenteditable]')
  return event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey
}
