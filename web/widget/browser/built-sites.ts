// Sites of the generators, with the widget as in manual/widget-guides.md and with markup of the hosted service. They are
// while tests run that do not need them.
import { readFileSync } from 'node:fs'
import { buildSite, type GeneratorName, removeSite } from '../../../test/generators/generators.ts'
import { addToSite, sites } from '../../../test/generators/sites.ts'

export interface BuiltSites {
  /** Returns the folder with the pages of a site that follows the manual's guide. */
  guide(name: GeneratorName): Promise<string>
  /** Returns the folder with the pages of one of `oldNames`. */
  old(name: string): Promise<string>
  /** Resolves when all are built, or have failed. */
  built(): Promise<unknown>
  remove(): Promise<void>
}

/** For all sites, on a machine that takes minutes to build one. */
export const siteTimeoutMs = 1_200_000

/** Titles in the manual. */
const titles: Record<GeneratorName, string> = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  mkdocs: 'MkDocs with Material',
  sphinx: 'Sphinx',
  hugo: 'Hugo',
}

const guides = readFileSync(new URL('../../../manual/widget-guides.md', import.meta.url), 'utf8')

/** As in the guides of the hosted service. */
export const script = '/published/biel-search.esm.js'
const style = '/published/biel-search.css'
const head = `<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>`

/** Of the old elements. */
export const texts = {
  search: 'Search the docs',
  ask: 'Ask AI',
  'header-title': 'Harbor assistant',
  'welcome-message': 'Ahoy! What is it about?',
  'suggested-questions-title': 'Try one of these',
  'suggested-questions': 'How do I install Harbor?',
  'footer-text': 'Answers may be wrong.',
  'send-button-text': 'Off it goes',
}
const { search, ask, ...asked } = texts
const askAttributes = Object.entries(asked)
  .map(([name, value]) => `${name}="${value}"`)
  .join(' ')
const elements = (api: string) => {
  const common = `project="harbor" api-url="${api}"`
  return {
    search: `<biel-search-button ${common} button-style="rounded" search-placeholder="Type a word">${search}</biel-search-button>`,
    ask: `<biel-button ${common} ${askAttributes} button-position="bottom-right" modal-position="sidebar-right" button-style="dark">${ask}</biel-button>`,
  }
}

const isGenerator = (name: string): name is GeneratorName => name in sites

/** Files in which teams have the old markup, by generator. */
const oldMarkup: Record<string, (api: string) => Record<string, string>> = {
  docusaurus: (api) => ({
    'docusaurus.config.js': `export default {
  // …
  scripts: [{ src: '${script}', type: 'module' }],
  stylesheets: ['${style}'],
}`,
    'src/theme/SearchBar.js': `export default function SearchBar() { return ${elements(api).search} }`,
    'src/theme/Root.js': `export default function Root({ children }) { return <>{children}${elements(api).ask}</> }`,
  }),
  mkdocs: (api) => ({
    'mkdocs.yml': 'theme:\n  name: material\n  custom_dir: overrides\n',
    'overrides/main.html': `{% extends "base.html" %}
{% block extrahead %}${head}${elements(api).ask}{% endblock %}`,
    'overrides/partials/search.html': elements(api).search,
  }),
  sphinx: (api) => ({
    'conf.py': `templates_path = ['_templates']
html_js_files = [('${script}', {'type': 'module'})]
html_css_files = ['${style}']
`,
    '_templates/sidebar/search.html': `${elements(api).search}${elements(api).ask}`,
  }),
  hugo: (api) => ({
    'layouts/partials/custom/head-end.html': head,
    'layouts/partials/search.html': `${elements(api).search}${elements(api).ask}`,
  }),
  plain: (api) => ({
    'index.html': `<!doctype html><html><head><title>Harbor</title>${head}</head><body><h1>Guide</h1>
    ${elements(api).search}${elements(api).ask}</body></html>`,
  }),
  app: (api) => ({
    'index.html': `<!doctype html><html><head><title>Harbor</title>${head}</head><body><div id="app"></div>
    <script>
      const pages = { '/': 'Guide', '/deploy': 'Deploy' }
      function go(path) {
        history.pushState(null, '', path)
        document.getElementById('app').innerHTML = '<h1>' + pages[path] + '</h1>${elements(api).search}${elements(api).ask}'
      }
      go('/deploy')
      setTimeout(() => go('/'), 0)
    </script></body></html>`,
  }),
}

export const generatorNames = Object.keys(titles) as GeneratorName[]
export const oldNames = Object.keys(oldMarkup)

/** `lectern` is the address of the server in the sites. They are built one after the other, because tests use the other core. */
export function buildSites(lectern: string): BuiltSites {
  const builds = new Map<string, Promise<string>>()
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()

  function build(key: string, name: GeneratorName | 'none', files: Record<string, string>) {
    const built = last.then(() => {
      if (isClosed) throw new Error('the tests have ended')
      return buildSite(name, files)
    })
    last = built.catch(() => {})
    builds.set(key, built)
  }

  for (const name of oldNames) {
    const files = oldMarkup[name]!(`${lectern}/api/v1`)
    if (isGenerator(name)) build(`old ${name}`, name, addToSite(name, files))
    else build(`old ${name}`, 'none', files)
  }
  for (const name of generatorNames) build(`guide ${name}`, name, addToSite(name, readGuide(name, lectern)))

  return {
    guide: (name) => builds.get(`guide ${name}`)!,
    old: (name) => builds.get(`old ${name}`)!,
    built: () => Promise.allSettled(builds.values()),
    async remove() {
      isClosed = true
      await Promise.all([...builds.values()].map((built) => built.then(removeSite, () => {})))
    },
  }
}

/** Returns the files of a guide: each code block is one, named by the last code before it. */
function readGuide(name: GeneratorName, lectern: string): Record<string, string> {
  const section = guides.split('\n## ').find((each) => each.startsWith(`${titles[name]}\n`))!
  const blocks = section.matchAll(/`([^`\n]+)`[^`]*?:\n\n```\w+\n([\s\S]*?\n)```/g)
  return Object.fromEntries(
    [...blocks].map(([, path, text]) => [
      path!,
      text!.replaceAll('https://lectern.example.com', lectern).replace(/(project\W+)guide/, '$1harbor'),
    ]),
  )
}
