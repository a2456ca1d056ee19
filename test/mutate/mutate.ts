// npm run mutate [-- [--green] [--tenth] [name…]]: removes protections from a copy of the last commit, one at a time, and
// prints which tests fail. Exits with 1 if a mutation survives, its text is not found, or its tests cannot run.
//   --green   skip the run without a mutation: the tests are known to pass
//   --tenth   run a tenth of the table, chosen by the commit
//   --lanes n   run n mutations in parallel, each in a separate copy; 1 by default
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from './mutations.ts'

/** Copies of the last commit, one per lane. */
const copies: string[] = []
const root = new URL('../../', import.meta.url).pathname
/** Milliseconds for the tests of a mutation. */
const timeout = 15 * 60_000
/** Maximum characters of a test's name and of its error. */
const maxShown = 200

interface Verdict {
  verdict: 'red' | 'SURVIVES' | 'NOT FOUND' | 'NOT RUN'
  /** The failed tests with their errors, or what happened instead. */
  noticed: string[]
}

interface VitestReport {
  testResults: {
    name: string
    status: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

await main(process.argv.slice(2))

async function main(args: string[]) {
  const { values, positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      green: { type: 'boolean', default: false },
      tenth: { type: 'boolean', default: false },
      lanes: { type: 'string', default: '1' },
    },
  })
  const unknown = names.filter((name) => !mutations.some((mutation) => mutation.name === name))
  if (unknown.length > 0) throw new Error(`There is no mutation ${unknown.join(', ')}.`)
  const named = mutations.filter(({ name }) => names.length === 0 || names.includes(name))
  const chosen = values.tenth ? pickTenth(named) : named
  try {
    for (let lane = 0; lane < Number(values.lanes); lane++) copies.push(openCopy())
    if (!values.green) await expectGreen(copies[0]!, chosen)
    process.exitCode = (await judgeAll(chosen)) ? 0 : 1
  } finally {
    for (const copy of copies) {
      execFileSync('git', ['worktree', 'remove', '--force', copy], { cwd: root })
      rmSync(copy, { recursive: true, force: true })
    }
  }
}

/** A copy of the last commit, which mutations change. */
function openCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'lectern-mutate-'))
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', copy, 'HEAD'], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // Built like an installation, because otherwise no process starts, which would look like a detected mutation.
  cpSync(join(root, 'web/dist'), join(copy, 'web/dist'), { recursive: true })
  return copy
}

/** Deterministic for a commit; over many commits every mutation is picked. */
function pickTenth(rows: Mutation[]): Mutation[] {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const rank = ({ name }: Mutation) => createHash('sha256').update(`${commit} ${name}`).digest('hex')
  const ranked = rows.map((row) => ({ row, rank: rank(row) })).sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return ranked.slice(0, Math.ceil(rows.length / 10)).map(({ row }) => row)
}

/** Tests that fail anyway would detect every mutation. */
async function expectGreen(copy: string, chosen: Mutation[]) {
  const failed = await failuresOf(copy, [...new Set(chosen.flatMap(({ tests }) => tests))])
  if (failed.length > 0) throw new Error(`Without any mutation these fail:\n${failed.join('\n')}`)
}

/** Prints one line per mutation, in sequence within each copy; returns whether each was detected. */
async function judgeAll(chosen: Mutation[]): Promise<boolean> {
  const width = Math.max(...chosen.map(({ name }) => name.length))
  const waiting = [...chosen]
  let allRed = true
  const judgeNext = async (copy: string) => {
    for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
      const { verdict, noticed } = await judge(copy, mutation)
      allRed &&= verdict === 'red'
      process.stdout.write(`${mutation.name.padEnd(width)}  ${verdict.padEnd(9)}  ${noticed.join('; ')}\n`)
    }
  }
  await Promise.all(copies.map(judgeNext))
  return allRed
}

async function judge(
  copy: string,
  { file, search, replacement, tests, expected }: Mutation,
): Promise<Verdict> {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(search).length !== 2) return { verdict: 'NOT FOUND', noticed: [file] }
  writeFileSync(
    path,
    text.replace(search, () => replacement),
  )
  try {
    // Stops at the first failure, usually the expected one: without a protection, other tests may run for minutes.
    for (const args of [['--bail=1'], []]) {
      const failures = await failuresOf(copy, tests, args)
      const noticed = failures.filter((failure) => failure.includes(expected))
      if (noticed.length > 0) return { verdict: 'red', noticed }
      if (failures.length === 0) break
    }
    return { verdict: 'SURVIVES', noticed: [expected, ...tests] }
  } catch (error) {
    return { verdict: 'NOT RUN', noticed: [(error as Error).message] }
  } finally {
    writeFileSync(path, text)
  }
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/** The failed tests and their errors. */
async function failuresOf(copy: string, tests: string[], options: string[] = []): Promise<string[]> {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  // Without a protection, tests may wait forever.
  const args = [
    'run',
    ...options,
    '--testTimeout=30000',
    '--reporter=json',
    `--outputFile=${report}`,
    ...tests,
  ]
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  // In a separate process group, so that everything a test has started ends with it.
  const lane = { LECTERN_MUTATE_LANE: String(copies.indexOf(copy)) }
  const env = { ...process.env, ...lane, LECTERN_TEST_POLL_TIMEOUT: '15000' }
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd: copy,
    env,
    stdio: 'ignore',
    detached: true,
  })
  let hangs = false
  const late = setTimeout(() => {
    hangs = true
    process.kill(-child.pid!, 'SIGKILL')
  }, timeout)
  const [code, signal] = await once(child, 'exit').finally(() => clearTimeout(late))
  if (hangs) throw new Error(`its tests take more than ${timeout / 60_000} minutes`)
  if (code === 0) return []
  if (!existsSync(report)) throw new Error(`vitest ended with ${code ?? signal} and left no report`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
  const failed = testResults.filter(({ status }) => status === 'failed')
  return failed.flatMap(({ name, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    const names = tests.map(({ fullName, failureMessages }) => {
      const [first = ''] = (failureMessages[0] ?? '').split('\n', 1)
      return `${fullName}: ${cut(first)}`
    })
    return names.length > 0 ? names : [`${name.slice(copy.length + 1)} could not be run`]
  })
}
