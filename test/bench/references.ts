// The programs that Lectern is compared with and that are not its dependencies. They are in a cache folder outside
// the repository, created in the first run; unavailable ones are reported in one line and omitted from the tables.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const cache = join(homedir(), '.cache', 'lectern-bench')
const crawleeVersion = '3.18.1'
const scrapyVersion = '2.19.0'
const fastembedVersion = '0.9.1'

export interface References {
  /** Python with Scrapy, or null. */
  python: string | null
  /** Folder whose node_modules has @crawlee/cheerio, or null. */
  crawlee: string | null
}

export async function openReferences(): Promise<References> {
  await mkdir(cache, { recursive: true })
  return {
    python: await orNull('Scrapy', 'python3 with venv and pip', () => installByPip('scrapy', scrapyVersion)),
    crawlee: await orNull('Crawlee', 'npm and its registry', installCrawlee),
  }
}

/** Python with fastembed, or null. */
export async function openFastembed(): Promise<string | null> {
  await mkdir(cache, { recursive: true })
  return orNull('fastembed', 'python3 with venv and pip', () => installByPip('fastembed', fastembedVersion))
}

/** Returns a Python that has the package. */
async function installByPip(name: string, version: string): Promise<string> {
  const folder = join(cache, `${name}-${version}`)
  const python = join(folder, 'bin', 'python')
  if (existsSync(python)) return python
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(python, ['-m', 'pip', 'install', '--quiet', `${name}==${version}`])
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return python
}

async function installCrawlee(): Promise<string> {
  const folder = join(cache, `crawlee-${crawleeVersion}`)
  if (existsSync(join(folder, 'node_modules', '@crawlee', 'cheerio'))) return folder
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{"private": true}')
  await run('npm', ['install', '--no-audit', '--no-fund', `@crawlee/cheerio@${crawleeVersion}`], {
    cwd: folder,
  })
  return folder
}

async function orNull(name: string, needs: string, open: () => Promise<string>): Promise<string | null> {
  try {
    return await open()
  } catch (error) {
    const cause = (error as Error).message.trim().split('\n').at(-1)
    console.log(`${name} is left out; it needs ${needs} (${cause})`)
    return null
  }
}
