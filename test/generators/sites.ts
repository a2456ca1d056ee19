// A site of two pages for each generator, before a team adds the widget.
import type { GeneratorName } from './generators.ts'

export interface BaseSite {
  files: Record<string, string>
  /** For a file in a guide: one of its lines, and the site's settings that follow this line. */
  settings: Record<string, [line: string, rest: string]>
}

const markdown = {
  index:
    '# Guide\n\nHow to install and use Harbor. Go on with [deploying](deploy.md).\n\n## Install\n\nRun `apt install harbor`.\n',
  deploy: '# Deploy\n\nThe command `harbor deploy` uploads a folder. Back to the [guide](index.md).\n',
}

export const sites: Record<GeneratorName, BaseSite> = {
  docusaurus: {
    files: {
      'docs/index.md': `---\nslug: /\n---\n\n${markdown.index}`,
      'docs/deploy.md': markdown.deploy,
    },
    settings: {
      'docusaurus.config.js': [
        '  // …',
        `  title: 'Harbor',
  url: 'https://docs.example.com',
  baseUrl: '/',
  future: { faster: true, v4: true },
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/', sidebarPath: undefined }]],
  themes: ['@docusaurus/theme-classic'],
  themeConfig: { navbar: { title: 'Harbor' } },`,
      ],
    },
  },
  vitepress: {
    files: { 'index.md': markdown.index, 'deploy.md': markdown.deploy },
    settings: {
      '.vitepress/config.mjs': [
        '  // …',
        `  title: 'Harbor',
  themeConfig: { sidebar: [{ text: 'Guide', link: '/' }, { text: 'Deploy', link: '/deploy' }] },`,
      ],
    },
  },
  mkdocs: {
    files: { 'docs/index.md': markdown.index, 'docs/deploy.md': markdown.deploy },
    settings: {
      'mkdocs.yml': [
        '  custom_dir: overrides',
        `  font: false
  features: [navigation.instant]
  palette:
    - scheme: default
      toggle: { icon: material/weather-night, name: Dark }
    - scheme: slate
      toggle: { icon: material/weather-sunny, name: Light }
site_name: Harbor
site_url: http://localhost/`,
      ],
    },
  },
  sphinx: {
    files: {
      'index.rst':
        'Guide\n=====\n\nHow to install and use Harbor.\n\n.. toctree::\n\n   deploy\n\nInstall\n-------\n\nRun ``apt install harbor``.\n',
      'deploy.rst': 'Deploy\n======\n\nThe command ``harbor deploy`` uploads a folder.\n',
    },
    settings: {
      'conf.py': ["templates_path = ['_templates']", "project = 'Harbor'\nhtml_theme = 'furo'"],
    },
  },
  hugo: {
    files: {
      'hugo.yaml':
        'title: Harbor\nbaseURL: http://localhost/\ndisableKinds: [taxonomy, term, RSS, sitemap]\n',
      'content/_index.md': markdown.index.replace('deploy.md', '/deploy/'),
      'content/deploy.md': markdown.deploy.replace('index.md', '/'),
      'layouts/_default/baseof.html': `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <script>
      const { dataset } = document.documentElement
      dataset.bsTheme = sessionStorage.getItem('theme') ?? 'light'
      function turn() {
        dataset.bsTheme = dataset.bsTheme === 'dark' ? 'light' : 'dark'
        sessionStorage.setItem('theme', dataset.bsTheme)
      }
    </script>
    <title>{{ .Title }}</title>
    <style>
      body { margin: 0 auto; max-width: 50rem; font: 1rem/1.6 Georgia, serif; background: #fff; color: #222 }
      [data-bs-theme="dark"] body { background: #1b1d22; color: #ddd }
      [data-bs-theme="dark"] a { color: #9cf }
      header { display: flex; align-items: center; gap: 1rem; padding: 1rem 0; border-bottom: 1px solid #8886 }
    </style>
    {{ partial "custom/head-end.html" . }}
  </head>
  <body>
    <header>
      <a href="/">Harbor</a>
      {{ partial "search.html" . }}
      <button id="theme" onclick="turn()">Theme</button>
    </header>
    <main>{{ block "main" . }}{{ .Content }}{{ end }}</main>
  </body>
</html>
`,
      'layouts/_default/single.html': '{{ define "main" }}{{ .Content }}{{ end }}',
      'layouts/index.html': '{{ define "main" }}{{ .Content }}{{ end }}',
    },
    settings: {},
  },
}

/** The site's files with added ones, each with the settings of the site. */
export function addToSite(name: GeneratorName, added: Record<string, string>): Record<string, string> {
  const { files, settings } = sites[name]
  const all = { ...files, ...added }
  for (const [path, [line, rest]] of Object.entries(settings)) {
    const text = all[path]
    if (!text?.includes(line)) throw new Error(`${path} of the guide has no line "${line}"`)
    all[path] = text.replace(line, `${line}\n${rest}`)
  }
  return all
}
