// What a turn is doing, stage by stage, as a list that folds away when the answer begins.
import { make } from './dom.js'

/** While it lasts, and afterwards. */
const words = {
  contextualizing: ['Reading the question', 'Read the question'],
  searching_docs: ['Searching the documentation', 'Searched the documentation'],
  reviewing_results: ['Judging what was found', 'Judged what was found'],
  preparing_docs: ['Getting the passages ready', 'Got the passages ready'],
  searching_web: ['Searching beyond the documentation', 'Searched beyond the documentation'],
  writing_answer: ['Writing the answer', 'Wrote the answer'],
  checking_sources: ['Checking the sources', 'Checked the sources'],
}

/** The stage as a reader reads it: `Searched the documentation, round 2`. */
export function stageSentence({ stage, state, detail }) {
  const [now, then] = words[stage]
  const said = state === 'completed' ? then : now
  const { searchRound, documentCount } = detail
  const more = [
    ...(searchRound > 1 ? [`round ${searchRound}`] : []),
    ...(documentCount === undefined
      ? []
      : [`${documentCount} ${documentCount === 1 ? 'passage' : 'passages'}`]),
  ]
  return [said, ...more].join(', ')
}

/** Of the check of the sources: how many citations it removed, and from which sentences. */
function removals({ stage }, citations) {
  if (stage !== 'checking_sources' || !citations || citations.sentences.length === 0) return []
  const { total, sentences } = citations
  return [
    `: ${sentences.length} of ${total} removed`,
    make('ul', { class: 'removed' }, ...sentences.map((sentence) => make('li', {}, sentence))),
  ]
}

/** The stage that is under way, else null. */
export function stageNow({ stages }) {
  return stages.findLast(({ state }) => state === 'started') ?? null
}

export function createStagesView() {
  const summary = make('summary', {})
  const list = make('ol', {})
  const node = make('details', { class: 'stages' }, summary, list)
  let drawn = null
  let folded = false

  return {
    node,
    render(turn) {
      const { stages, phase, text, citations } = turn
      const isRunning = phase === 'running'
      node.hidden = stages.length === 0 && !isRunning
      const now = stageNow(turn)
      summary.textContent = isRunning
        ? `${now ? stageSentence(now) : 'One moment'}…`
        : 'How this answer was made'
      node.classList.toggle('running', isRunning)
      if (drawn !== stages) {
        drawn = stages
        list.replaceChildren(
          ...stages.map((each) =>
            make('li', { class: `stage ${each.state}` }, stageSentence(each), ...removals(each, citations)),
          ),
        )
      }
      // Open until there is something better to read; after that it is the reader's to open.
      const shouldFold = !isRunning || text !== ''
      if (!shouldFold) node.open = stages.length > 0
      else if (!folded) node.open = false
      folded = shouldFold
    },
  }
}
