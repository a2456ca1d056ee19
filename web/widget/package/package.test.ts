// The npm package for its users: their compiler reads the types, and a browser runs the loader.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lacksBrowser, openBrowser, openPage } from '../../../test/e2e/browser.ts'
import { openHarbor } from '../../../test/e2e/harbor.ts'
import { searchAnswered } from '../../../test/e2e/lectern-process.ts'
import { serveFolders } from '../../../test/generators/folder-server.ts'
import { home, lacksGenerators } from '../../../test/generators/generators.ts'
import { attributeNames } from '../attributes.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const own = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

const script = `import { loadLectern, type LecternElement } from 'lectern-widget'

export async function start(): Promise<void> {
  await loadLectern('https://lectern.example.com')
  const search: LecternElement | null = document.querySelector('lectern-search')
  search?.open({ mode: 'ask', query: 'How?', submit: true })
  addEventListener('lectern:answer', ({ detail }) => console.log(detail.outcome === 'refused', detail.sources[0]?.url))
  search?.addEventListener('lectern:before-open', (event) => event.preventDefault())
  document.addEventListener('lectern:click', ({ detail: { url, position } }) => console.log(url, position + 1))
}
`
const wrong = `import { loadLectern } from 'lectern-widget'

void loadLectern(1)
document.createElement('lectern-ask').open({ mode: 'chat' })
addEventListener('lectern:click', ({ detail }) => detail.question)
`
const toPage = (library: string) => `import 'lectern-widget/${library}'

export const page = <lectern-search project="guide" variant="float" style="margin: 0" key="1">Search</lectern-search>
export const wrong = <lectern-ask project={1} />
`

const usingPage = `<lectern-search project="harbor"></lectern-search>
<script type="module">
  import { loadLectern } from '/package/index.js'
  Object.assign(window, { loadLectern })
</script>`

/** Returns the errors of the compiler for these files, one per line. */
async function compile(files: Record<string, string>, jsx: string, packages: Record<string, string>) {
  const consumer = await mkdtemp(join(tmpdir(), 'lectern-consumer-'))
  try {
    await mkdir(join(consumer, 'node_modules/@types'), { recursive: true })
    for (const [name, path] of Object.entries({ 'lectern-widget': folder, ...packages })) {
      await symlink(path, join(consumer, 'node_modules', name))
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(consumer, name), text)
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--types',
      '',
    ]
    const args = [...options, '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--preserveSymlinks']
    const libraries = ['--jsx', 'react-jsx', '--jsxImportSource', jsx, '--skipLibCheck']
    return await new Promise<string[]>((resolve) => {
      const tsc = join(own, '.bin/tsc')
      execFile(tsc, [...args, ...libraries, ...Object.keys(files)], { cwd: consumer }, (_, stdout) =>
        resolve(
          [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (\w+)/gm)].map((each) => each.slice(1).join(' ')),
        ),
      )
    })
  } finally {
    await rm(consumer, { recursive: true })
  }
}

test('a compiler accepts elements, methods and events, and rejects others', async () => {
  const files = { 'right.ts': script, 'wrong.ts': wrong, 'page.tsx': toPage('preact') }
  const errors = await compile(files, 'preact', { preact: join(own, 'preact') })
  expect(errors.sort()).toEqual([
    'page.tsx 4 TS2322',
    'wrong.ts 3 TS2345',
    'wrong.ts 4 TS2322',
    'wrong.ts 5 TS2339',
  ])
})

test.skipIf(lacksGenerators)('the JSX of React accepts the elements', async () => {
  const react = {
    react: join(home, 'node_modules/react'),
    '@types/react': join(home, 'node_modules/@types/react'),
    csstype: join(home, 'node_modules/csstype'),
    '@types/prop-types': join(home, 'node_modules/@types/prop-types'),
  }
  expect(await compile({ 'page.tsx': toPage('react') }, 'react', react)).toEqual(['page.tsx 4 TS2322'])
})

test('the types have every attribute, and the package lists every file', async () => {
  const types = await readFile(join(folder, 'index.d.ts'), 'utf8')
  const body = types.split('interface LecternAttributes {')[1]!.split('\n}')[0]!
  const named = [...body.matchAll(/^ {2}'?([\w-]+)'?\??:/gm)].map(([, name]) => name)
  expect(named.sort()).toEqual([...attributeNames].sort())
  const { files } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const there = (await readdir(folder)).filter(
    (name) => !name.endsWith('.test.ts') && name !== 'package.json',
  )
  expect(files.sort()).toEqual(there.sort())
})

test.skipIf(lacksBrowser)('loads the widget once, and reports a failure', async () => {
  const [harbor, browser] = await Promise.all([openHarbor({ LECTERN_EMBEDDINGS: 'off' }), openBrowser()])
  const site = await mkdtemp(join(tmpdir(), 'lectern-site-'))
  await writeFile(join(site, 'index.html'), usingPage)
  const server = await serveFolders({ '/package/': folder, '/': site })
  try {
    await searchAnswered(harbor.lectern, 'harbor')
    const { page } = await openPage(browser)
    await page.goto(server.url)
    const load = (origin: string) =>
      page.evaluate(async (address) => {
        const { loadLectern } = window as unknown as { loadLectern(origin: string): Promise<void> }
        return Promise.all([loadLectern(address), loadLectern(`${address}/`)]).then(
          () => document.querySelectorAll('script[src*="widget.js"]').length,
          ({ message }) => String(message),
        )
      }, origin)
    expect(await load(server.url.slice(0, -1))).toContain(
      "Lectern's widget could not be loaded from http://localhost",
    )
    expect(await load(harbor.lectern.baseUrl)).toBe(1)
    await page.evaluate(() => {
      const search = document.querySelector('lectern-search') as HTMLElement & { open(how: object): void }
      search.open({ query: 'proxy' })
    })
    await page.locator('lectern-search [role=option]').first().waitFor()
  } finally {
    await browser.close()
    await server.close()
    await harbor.close()
    await rm(site, { recursive: true })
  }
})
