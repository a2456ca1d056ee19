// `node bin/install.mjs [production | tests]` runs before `npm start` and `npm test`, on the installed Node. Installs packages
// that are missing or older than the lockfile, checks the binaries, and bundles the pages. The packages include Node 22.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findWrongBinary } from './check-binaries.mjs'
import { removeForeignBinaries } from './foreign-binaries.mjs'

/** Each set includes the previous ones. `has`: a package that only this set adds. */
const sets = [
  { name: 'embedded', args: ['--omit=dev', '--workspaces=false'], has: '' },
  { name: 'production', args: ['--omit=dev'], has: 'mongodb' },
  { name: 'tests', args: [], has: 'vitest' },
]

const root = join(import.meta.dirname, '..')
const modules = join(root, 'node_modules')
const lockfile = join(root, 'package-lock.json')
/** npm writes it when the installation is complete. */
const installed = join(modules, '.package-lock.json')
/** Written when the binaries passed the checks of these files. */
const checked = join(modules, '.binaries-checked')
const checks = ['binaries.json', 'foreign-binaries.mjs'].map((name) => join(root, 'bin', name))
const web = join(root, 'web')
/** Written by web/build.ts when everything is bundled. */
const bundled = join(web, 'dist', 'manifest.json')

const isOlder = (path, than) =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < statSync(than).mtimeMs

function stop(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

function npm(command, ...args) {
  const { status } = spawnSync('npm', [command, ...args, '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) stop(`npm ${command} failed: see the lines above.`)
}

const [name = 'embedded'] = process.argv.slice(2)
const asked = sets.findIndex((set) => set.name === name)
if (asked < 0) stop(`install.mjs takes production, tests or nothing; got: ${name}`)
const present = Math.max(
  0,
  sets.findLastIndex(({ has }) => has !== '' && existsSync(join(modules, has))),
)

if (asked > present || isOlder(installed, lockfile)) {
  process.stderr.write('Installing what Lectern needs (once, about a minute) …\n')
  // No package needs its install script, so none is run. npm ci starts over, so it also installs the sets that are present.
  const { args } = sets[Math.max(asked, present)]
  npm('ci', ...args, '--no-audit', '--no-fund')
  // npm 10 removes the link to Node together with the packages of other systems.
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  npm('rebuild', ...Object.keys(optionalDependencies).filter((name) => existsSync(join(modules, name))))
}
if ([installed, ...checks].some((path) => isOlder(checked, path))) {
  const wrong = findWrongBinary(modules)
  if (wrong) stop(wrong)
  removeForeignBinaries(modules)
  writeFileSync(checked, '')
}

const sources = readdirSync(web, { recursive: true })
  .filter((path) => /\.(tsx?|css|html)$/.test(path) && !path.startsWith('dist'))
  .map((path) => join(web, path))
// The console uses the command line's scores of evaluations.
sources.push(join(root, 'cli', 'scores.ts'))
if ([installed, ...sources].some((path) => isOlder(bundled, path))) {
  const { status } = spawnSync('node', ['--disable-warning=ExperimentalWarning', join(web, 'build.ts')], {
    cwd: root,
    env: { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) stop('web/build.ts failed: see the lines above.')
}
