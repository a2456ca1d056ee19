// npm installs what the repository names: every entry of the lockfile with its hash, no scripts of packages, and the
// binaries that run as Lectern with hashes of their own.
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import binaries from './binaries.json' with { type: 'json' }
import { findWrongBinary } from './check-binaries.mjs'

interface Locked {
  version: string
  integrity?: string
  /** A folder of this repository. */
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const root = fileURLToPath(new URL('../', import.meta.url))
const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'))
const locked: Record<string, Locked> = (await read('package-lock.json')).packages
const mine = binaries[`${process.platform}-${process.arch}` as keyof typeof binaries]

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-install-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('every entry of the lockfile has its hash, also those for other systems', () => {
  const packages = Object.entries(locked).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(packages.length).toBeGreaterThan(300)
  expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  // A package that npm did not find when it wrote the lockfile would be missing, and installed without a check or not at all.
  const optional = packages.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => [`${path}/node_modules/${name}`, `node_modules/${name}`]),
  )
  expect(optional.filter((paths) => !paths.some((path) => locked[path]))).toEqual([])
})

test('the lockfile has Node for every system that Lectern supports, and the repository has its hash', async () => {
  const { optionalDependencies } = await read('package.json')
  const nodes = Object.values(binaries).flatMap((files) =>
    Object.keys(files).filter((file) => file.startsWith('node-')),
  )
  expect(nodes.map((file) => file.split('/')[0]).sort()).toEqual(Object.keys(optionalDependencies).sort())
  for (const [name, version] of Object.entries(optionalDependencies)) {
    expect(version).toMatch(/^22\.23\.\d+$/)
    expect(locked[`node_modules/${name}`]?.version).toBe(version)
  }
  // npm's own `node` package downloads the binary with a script, which the lockfile does not cover.
  expect(Object.keys(locked)).not.toContain('node_modules/node')
})

test('the installed binaries are the known ones', () => {
  expect(findWrongBinary(join(root, 'node_modules'))).toBeNull()
})

test('packages with binaries for every system keep only those of this one', async () => {
  const { platform, arch, versions } = process
  const kept = (name: string) => readdir(join(root, 'node_modules', name))
  expect(await kept('onnxruntime-node/bin/napi-v6')).toEqual([platform])
  expect(await kept(`onnxruntime-node/bin/napi-v6/${platform}`)).toEqual([arch])
  expect(await kept('uWebSockets.js/dist/bin')).toEqual([`uws_${platform}_${arch}_${versions.modules}.node`])
  expect(await kept('@temporalio/core-bridge/releases')).toHaveLength(1)
})

/** Records each run, in place of the bundling of the pages. */
const buildScript = `import { appendFileSync, mkdirSync } from 'node:fs'
mkdirSync('web/dist', { recursive: true })
appendFileSync('web/dist/manifest.json', 'built ')`

/** A clone installed by npm, with these binaries. Returns a function that runs install.mjs there. */
async function installWith(
  contents: (name: string) => Promise<Buffer | string | null>,
  env: Record<string, string> = {},
) {
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package-lock.json'), '{}')
  for (const name of ['web/demo', 'cli']) await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, 'web/build.ts'), buildScript)
  await writeFile(join(folder, 'cli/scores.ts'), '')
  for (const name of Object.keys(mine)) {
    const path = join(folder, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    const content = await contents(name)
    if (content !== null) await writeFile(path, content)
  }
  await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}')
  return (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/install.mjs', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
    return { status, lines: stderr.split('\n').filter(Boolean) }
  }
}

const original = (name: string) => readFile(join(root, 'node_modules', name))

test('checks correct binaries once', async () => {
  const install = await installWith(original)
  expect(install()).toEqual({ status: 0, lines: [] })
  await rm(join(folder, 'node_modules', Object.keys(mine)[0]!))
  expect(install()).toEqual({ status: 0, lines: [] })
})

test('bundles the pages once, and again after a change', async () => {
  const install = await installWith(original)
  const builds = () => readFile(join(folder, 'web/dist/manifest.json'), 'utf8')
  for (const _ of [1, 2]) expect(install()).toEqual({ status: 0, lines: [] })
  expect(await builds()).toBe('built ')
  await writeFile(join(folder, 'web/demo/demo.tsx'), '')
  const later = new Date(Date.now() + 5_000)
  await utimes(join(folder, 'web/demo/demo.tsx'), later, later)
  expect(install()).toEqual({ status: 0, lines: [] })
  expect(await builds()).toBe('built built ')
})

test.each(Object.keys(mine))('stops with one line if %s is another binary, each time', async (wrong) => {
  const install = await installWith((name) =>
    name === wrong ? Promise.resolve('something else') : original(name),
  )
  for (const { status, lines } of [install(), install()]) {
    expect(status).toBe(1)
    expect(lines).toEqual([expect.stringContaining('is not the binary that Lectern was released with')])
    expect(lines[0]).toContain(wrong)
  }
})

test.each(Object.keys(mine))('stops with one line if %s is missing', async (missing) => {
  const install = await installWith((name) => (name === missing ? Promise.resolve(null) : original(name)))
  const { status, lines } = install()
  expect(status).toBe(1)
  expect(lines).toEqual([expect.stringMatching(/is missing: npm could not install it/)])
})

/** Returns the arguments of npm that install.mjs runs in a clone with `packages`, with an npm that only records them. */
async function askedOfNpm(packages: string[], ...args: string[]): Promise<string[]> {
  const tools = join(folder, 'tools')
  const noted = join(folder, 'noted')
  await mkdir(tools)
  await writeFile(join(tools, 'npm'), `#!/bin/sh\nprintf '%s\\n' "$@" >'${noted}'\n`, { mode: 0o755 })
  const install = await installWith(original, { PATH: `${tools}${delimiter}${process.env.PATH}` })
  for (const name of packages) await mkdir(join(folder, 'node_modules', name))
  await rm(join(folder, 'node_modules/.package-lock.json'))
  install(...args)
  return (await readFile(noted, 'utf8')).split('\n').filter((arg) => /^ci$|omit|workspaces/.test(arg))
}

const embedded = ['ci', '--omit=dev', '--workspaces=false']
const production = ['ci', '--omit=dev']
const everything = ['ci']
const installations: [what: string, asked: string[], present: string[], args: string[]][] = [
  ['a new clone, without drivers of servers and tools of tests', [], [], embedded],
  ['production, with drivers', ['production'], [], production],
  ['the tests, with everything', ['tests'], [], everything],
  ['an upgrade, with the drivers that were there', [], ['mongodb'], production],
  ['an upgrade, with the tools that were there', ['production'], ['mongodb', 'vitest'], everything],
]
test.skipIf(process.platform === 'win32').each(installations)(
  'installs %s',
  async (_, asked, present, args) => {
    expect(await askedOfNpm(present, ...asked)).toEqual(args)
  },
)

test('rejects any other argument', async () => {
  const { status, lines } = (await installWith(original))('all')
  expect([status, lines]).toEqual([1, ['install.mjs takes production, tests or nothing; got: all']])
})

test('installs the drivers of servers with production only', async () => {
  const { dependencies } = await read('production/package.json')
  const drivers = ['mongodb', 'weaviate-client', '@temporalio/client', '@temporalio/worker']
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(drivers))
  expect(Object.keys((await read('package.json')).dependencies)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/mongodb|weaviate|temporal/)]),
  )
})
