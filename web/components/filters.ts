// The filters of a search, as radio buttons, which have standard keyboard support. Many projects have none, so the widget
// loads them on demand.
import { make } from './make.ts'
import type { Search, SearchPart } from './search.ts'
import type { Texts } from './texts.ts'

export function createFilters(search: Search, { search: texts }: Texts, titles: string[]): SearchPart {
  const chips = ['', ...titles].map((value) => {
    const input = make('input', {
      type: 'radio',
      name: 'filter',
      value,
      change: () => void search.ask(search.state.value.query, value),
    })
    const label = make(
      'label',
      { class: 'chip' },
      input,
      make('span', { dir: 'auto' }, value || texts.everything),
    )
    return { input, label }
  })
  return {
    element: make(
      'fieldset',
      { class: 'filters', part: 'filters', id: 'filters' },
      make('legend', {}, texts.filters),
      ...chips.map(({ label }) => label),
    ),
    update({ filter }) {
      for (const { input } of chips) input.checked = input.value === filter
    },
  }
}
