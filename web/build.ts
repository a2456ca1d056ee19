// Bundles web/ into web/dist/. bin/install.mjs runs it when a source is newer than the bundles, and so does the Dockerfile. Bundles are
// in dist/assets/, under names with a hash of their content. Pages and the widget's loader contain the names that they load.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const folder = import.meta.dirname
const output = join(folder, 'dist')

const options: BuildOptions = {
  absWorkingDir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  // The first versions with `light-dark()`, `inset` and `@layer`.
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
  legalComments: 'none',
  charset: 'utf8',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: join(output, 'assets'),
  logLevel: 'warning',
}

/** Scripts import style sheets as bundled text, which shadow roots adopt. */
const stylesAsText: Plugin = {
  name: 'styles as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { target, charset } = options
      const sheet = { bundle: true, minify: true, target: target!, charset: charset! }
      const { outputFiles } = await build({ ...sheet, entryPoints: [path], write: false })
      return { contents: outputFiles[0]!.text, loader: 'text' }
    })
  },
}

/** The scripts and styles of each page, next to its `index.html`. */
const pages = {
  demo: ['demo.tsx', 'demo.css'],
  'demo/widget': ['try-widget.tsx', 'try-widget.css'],
  console: ['console.tsx', 'console.css'],
}

rmSync(output, { recursive: true, force: true })
const bundles = await Promise.all([
  ...Object.entries(pages).map(([page, entries]) =>
    build({ ...options, entryPoints: entries.map((entry) => `${page}/${entry}`) }),
  ),
  build({
    ...options,
    chunkNames: 'c-[hash]',
    entryPoints: ['widget/search.ts', 'widget/ask.tsx', 'widget/old-markup.ts'],
    plugins: [stylesAsText],
  }),
])
const files = Object.assign({}, ...bundles.map(({ metafile }) => readEntries(metafile!)))
// A classic script, for pages of any site.
await build({
  ...options,
  entryPoints: ['widget/loader.ts'],
  ...{ splitting: false, format: 'iife', outdir: output, entryNames: 'widget', plugins: [stylesAsText] },
  define: {
    bundles: JSON.stringify({
      search: readChunks('search.js'),
      ask: readChunks('ask.js'),
      old: readChunks('old-markup.js'),
    }),
  },
})
for (const page of Object.keys(pages)) {
  const html = readFileSync(join(folder, page, 'index.html'), 'utf8').replace(
    /(?<=assets\/)[\w.-]+/g,
    (name) => files[name] ?? name,
  )
  mkdirSync(join(output, page), { recursive: true })
  writeFileSync(join(output, page, 'index.html'), html)
  // The console's views have addresses below its page, so their links to assets need more `../` (gateway/pages.ts).
  if (page === 'console')
    for (let depth = 1; depth <= 5; depth++)
      writeFileSync(
        join(output, page, `view-${depth}.html`),
        html.replaceAll('"../', `"${'../'.repeat(depth + 1)}`),
      )
}
// Written last: it marks the build as complete.
writeFileSync(join(output, 'manifest.json'), `${JSON.stringify(files, null, 2)}\n`)

/** A bundle of the widget and its static imports, without `.js`. */
function readChunks(name: string): string[] {
  const outputs = bundles.at(-1)!.metafile!.outputs
  const path = Object.keys(outputs).find((each) => basename(each) === files[name])!
  const chunks = outputs[path]!.imports.filter(({ kind }) => kind === 'import-statement')
  return [path, ...chunks.map((each) => each.path)].map((each) => basename(each, '.js'))
}

/** `demo.js` → `demo-4KZ6UTQK.js` */
function readEntries({ outputs }: Metafile): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
      // Only the console's script loads its screens.
      if (!entryPoint || entryPoint.startsWith('console/screens/')) return []
      return [[basename(entryPoint).replace(/\.tsx?$/, '.js'), basename(path)]]
    }),
  )
}
