// Schemathesis generates requests from an API description and checks the responses. `node test/openapi/schemathesis.ts` installs
// it from PyPI, once, into a folder outside the repository.
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('schemathesis/', import.meta.url))
const requirements = join(folder, 'requirements.txt')
const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
const cache = join(homedir(), '.cache', 'lectern-schemathesis')
const home = join(cache, version)
const program = join(home, 'bin', 'schemathesis')

/** On a developer's machine without it, tests that need it are skipped with a line. CI requires it. */
export const withoutSchemathesis = !existsSync(program) && !process.env.CI && !import.meta.main
if (withoutSchemathesis) console.log('skipped: schemathesis (node test/openapi/schemathesis.ts)')

export interface Judged {
  passed: boolean
  /** The printed output. */
  report: string
}

export interface JudgeOptions {
  /** Address of the description. */
  url: string
  /** Settings in the format of schemathesis.toml. */
  config: string
  authorization: string
  environment: Record<string, string>
}

/** Generates requests and checks the responses; rejects if it cannot be run. */
export function runSchemathesis({ url, config, authorization, environment }: JudgeOptions): Promise<Judged> {
  const args = ['--config-file', config, 'run', url, '--header', `Authorization: ${authorization}`]
  const env = {
    PATH: process.env.PATH,
    HOME: homedir(),
    SCHEMATHESIS_HOOKS: join(folder, 'hooks.py'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment,
  }
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, cwd: join(config, '..'), maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      // 1: a check failed. Any other status: it could not run.
      if (error && error.code !== 1) reject(new Error(`${error.message}\n${stdout}\n${stderr}`))
      else resolve({ passed: error === null, report: stdout })
    })
  })
}

/** A folder with a virtual environment cannot be moved, so an unfinished one is deleted and created again. */
function install() {
  mkdirSync(cache, { recursive: true })
  const unfinished = join(home, 'unfinished')
  if (existsSync(program) && !existsSync(unfinished)) return
  rmSync(home, { recursive: true, force: true })
  execFileSync('python3', ['-m', 'venv', home])
  mkdirSync(unfinished)
  execFileSync(
    join(home, 'bin', 'python'),
    ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', requirements],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  renameSync(unfinished, join(home, 'finished'))
}

if (import.meta.main) install()
