// The report of a test run: its seed, which repeats it, tests that passed only after a retry, and skipped tests.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Report } from './report.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const cases = `
import fc from 'fast-check'
import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
let tries = 0
test('passes', () => {})
test('passes when retried', { retry: 1 }, () => expect(++tries).toBe(2))
test.skip('is skipped', () => {})
test('fails for large numbers', () => {
  fc.assert(fc.property(fc.integer(), (n) => {
    appendFileSync(process.env.MADE_UP, n + ' ')
    return n < 1000
  }))
})
`

// Within the checkout, so that its packages are found; no test of Lectern has this name.
await mkdir(join(root, 'test/.cache'), { recursive: true })
const folder = await mkdtemp(join(root, 'test/.cache/report-'))
await writeFile(join(folder, 'sample.ts'), cases)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(name: string, seed: string) {
  const [report, madeUp] = [join(folder, `${name}.json`), join(folder, `${name}.txt`)]
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      `--outputFile=${report}`,
      `--dir=${folder}`,
      '--config=test/fixtures/report.config.ts',
    ],
    {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LECTERN_TEST_SEED: seed, MADE_UP: madeUp, NO_COLOR: '1' },
    },
  )
  const read = JSON.parse(await readFile(report, 'utf8')) as Report
  return { output: stdout + stderr, report, read, madeUp: await readFile(madeUp, 'utf8') }
}

function count(status: string, ...reports: string[]) {
  const { status: code, stdout } = spawnSync(process.execPath, ['.ci/count.mjs', status, ...reports], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status: code, lines: stdout.trimEnd().split('\n') }
}

test('reports the seed of a run, generates the same inputs with it, and names retried and skipped tests', async () => {
  const [one, other, third] = [await run('one', '42'), await run('other', '42'), await run('third', '43')]
  expect(one.output).toContain('fast-check seed: 42 (repeat the run with LECTERN_TEST_SEED=42)')
  expect(one.output).toContain('seed: 42, path:')
  expect(one.madeUp).toBe(other.madeUp)
  expect(one.madeUp).not.toBe(third.madeUp)

  const skipped = [expect.stringMatching(/sample\.ts > is skipped$/)]
  const retried = [expect.stringMatching(/sample\.ts > passes when retried$/)]
  expect(one.read).toEqual({ seed: 42, passed: 2, failed: 1, skipped, retried })

  const { status, lines } = count('1', one.report)
  expect(status).toBe(1)
  expect(lines.at(-2)).toBe('fast-check seed: 42; retried tests: 1')
  expect(lines.at(-1)).toBe('2 passed, 2 failed')
  expect(lines.join('\n')).toMatch(/skipped, which CI does not allow: .*is skipped\n/)
})

const reports: [what: string, report: Partial<Report> | null, status: string, line: string, code: number][] =
  [
    ['a green run', {}, '0', '7 passed, 0 failed', 0],
    ['one that failed outside of its tests', {}, '1', '7 passed, 1 failed', 1],
    ['one with failed tests', { failed: 2 }, '1', '7 passed, 2 failed', 1],
    ['one that skipped', { skipped: ['a > b'] }, '0', '7 passed, 1 failed', 1],
    ['one that ran nothing', { passed: 0 }, '0', '0 passed, 1 failed', 1],
    ['one without a report', null, '0', '0 passed, 1 failed', 1],
  ]
test.each(reports)('prints the last line of %s', async (what, report, status, line, code) => {
  const path = join(folder, `${what}.json`)
  const whole = { seed: 1, passed: 7, failed: 0, skipped: [], retried: [], ...report }
  if (report) await writeFile(path, JSON.stringify(whole))
  expect(count(status, path)).toMatchObject({ status: code, lines: expect.arrayContaining([line]) })
  expect(count(status, path).lines.at(-1)).toBe(line)
})

test('adds several reports up in the last line, and a machine without containers causes no failure', async () => {
  const whole = { seed: 1, passed: 7, failed: 0, skipped: [] as string[], retried: [] }
  const noContainers = 'containers skipped: they need root on Linux'
  const reports = [
    whole,
    { ...whole, passed: 0, skipped: [`a.test.ts > ${noContainers}`] },
    { ...whole, skipped: ['a > b'] },
  ]
  const paths = reports.map((_, at) => join(folder, `several-${at}.json`))
  await Promise.all(paths.map((path, at) => writeFile(path, JSON.stringify(reports[at]))))
  const { status, lines } = count('0', ...paths.slice(0, 2))
  expect({ status, last: lines.at(-1) }).toEqual({ status: 0, last: '7 passed, 0 failed' })
  expect(lines).toContain(noContainers)
  expect(count('0', ...paths)).toMatchObject({
    status: 1,
    lines: expect.arrayContaining(['14 passed, 1 failed']),
  })
})
