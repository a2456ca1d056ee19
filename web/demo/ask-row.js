// The row below the search field that leads from a search to a question.
import { make } from './dom.js'

/** `actions`: `ask(query)`, `open()`. */
export function createAskRow({ row, label, actions }) {
  let query = ''
  row.addEventListener('click', () => (query === '' ? actions.open() : actions.ask(query)))

  return {
    render(state) {
      query = state.query.trim()
      const nodes = query === '' ? ['Ask a question'] : ['Ask: ', make('strong', {}, query)]
      row.classList.toggle('empty', query === '')
      label.replaceChildren(...nodes)
    },
  }
}
