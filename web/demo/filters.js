// Filter chips: the project's filters as radio buttons, so that the keyboard works them as everywhere.
import { make } from './dom.js'

export function createFilters({ box, chosen }) {
  let drawn = null

  function draw(filters) {
    for (const chip of box.querySelectorAll('label')) chip.remove()
    if (filters.length === 0) return
    box.append(chip('', 'Everything'), ...filters.map(({ title }) => chip(title, title)))
  }

  function chip(value, label) {
    const radio = make('input', { type: 'radio', name: 'filter', value })
    radio.addEventListener('change', () => chosen(value))
    return make('label', { class: 'chip' }, radio, make('span', {}, label))
  }

  return {
    render({ project, filter }) {
      const filters = project?.config?.search?.filters ?? []
      if (drawn !== filters) draw(filters)
      drawn = filters
      box.hidden = filters.length === 0
      for (const radio of box.querySelectorAll('input')) radio.checked = radio.value === filter
    },
  }
}
