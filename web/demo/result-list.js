// The list of results: a listbox whose options are links, grouped by page (ARIA combobox pattern).
import { make } from './dom.js'
import { excerptOf } from './excerpt.js'
import { wordsOf } from './highlight.js'
import { fragmentNodes, titleNodes } from './result-text.js'

/** `input` keeps the focus; the list follows it by aria-activedescendant. `opened(result)` hears of every click. */
export function createResultList({ list, input, opened }) {
  let drawn = null
  let options = []

  function draw({ groups, answered }) {
    const words = wordsOf(answered)
    options = []
    list.replaceChildren(
      ...groups.map((group) =>
        make(
          'div',
          {
            role: 'group',
            class: 'page',
            'aria-label': group.isFile ? `${group.title}, uploaded file` : group.title,
          },
          pageHead(group, words),
          ...group.results.map((result) => option(result, words)),
        ),
      ),
    )
    list.hidden = groups.length === 0
    input.setAttribute('aria-expanded', String(groups.length > 0))
  }

  function option(result, words) {
    const link = make(
      'a',
      {
        role: 'option',
        id: `result-${options.length}`,
        class: 'result',
        href: webAddress(result.url),
        tabindex: '-1',
        'aria-selected': 'false',
      },
      make('span', { class: 'title' }, ...titleNodes(result.title || result.page_title, words)),
      make('div', { class: 'fragment' }, ...fragmentNodes(excerptOf(result), words)),
    )
    link.addEventListener('click', () => opened(result))
    link.addEventListener('auxclick', (event) => event.button === 1 && opened(result))
    options.push(link)
    return link
  }

  return {
    render(state) {
      if (drawn !== state.groups) draw(state)
      drawn = state.groups
      for (const [index, link] of options.entries()) {
        link.setAttribute('aria-selected', String(index === state.active))
      }
      const chosen = options[state.active]
      if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
      else input.removeAttribute('aria-activedescendant')
    },
    /** Brings a result into view with what stands round it. */
    show: (index) => options[index]?.scrollIntoView({ block: 'nearest' }),
    open: (index) => options[index]?.click(),
    openAside(index) {
      const link = options[index]
      if (!link) return
      window.open(link.href, '_blank', 'noopener')
      link.dispatchEvent(new MouseEvent('auxclick', { button: 1 }))
    },
  }
}

/** Title and address of a page; the title is left out where its first result says the same. */
function pageHead({ page, title, isFile, results }, words) {
  const says = results[0].title && results[0].title !== title
  return make(
    'div',
    { class: 'page-head', 'aria-hidden': 'true' },
    ...(says ? [make('span', { class: 'page-title' }, ...titleNodes(title, words))] : []),
    isFile
      ? make('span', { class: 'file' }, 'Uploaded file')
      : make('span', { class: 'path' }, readablePath(page)),
  )
}

/** `https://docs.example.org/guide/a%20b.html` → `docs.example.org › guide › a b.html` */
export function readablePath(page) {
  if (!URL.canParse(page)) return page
  const { host, pathname } = new URL(page)
  return [host, ...pathname.split('/').filter(Boolean).map(decode)].join(' › ')
}

function decode(segment) {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The address when a browser may be sent there, else null. */
function webAddress(text) {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? text : null
}
