// `npm start [-- <address of a documentation site>]`: starts Lectern, and with an address or at the very first start
// crawls a first project. LECTERN_ROLE says which of its resources this process runs.
import { setFlagsFromString } from 'node:v8'
import { createClient } from '@connectrpc/connect'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { baseUrlOf, type Config, ConfigError, isEmbedded, readConfig } from '../services/config.ts'
import { type DataLock, lockDataFolder } from '../services/data/data-lock.ts'
import { checkDrivers } from '../services/installed-drivers.ts'
import { type Local, type Opened, openApplication } from './application.ts'
import { crawlFirstProject, type FirstProject, projectOfAddress } from './first-run.ts'
import { createLog } from './log.ts'
import { handleShutdown, ignoreBrokenPipe } from './shutdown.ts'

const manual = (baseUrl: string): FirstProject => ({
  name: 'Lectern manual',
  slug: 'manual',
  url: `${baseUrl}/manual/`,
})

async function main(args: string[]): Promise<void> {
  const asked = readAddress(args)
  const config = readConfig(process.env)
  checkDrivers(config)
  if (asked && config.role !== 'all') {
    throw new ConfigError(
      `LECTERN_ROLE: got "${config.role}", takes all where npm start is given an address.`,
    )
  }
  const log = createLog(config.log)
  ignoreBrokenPipe()
  const lock = lockData(config)
  if (lock.leftBehind) log.warn(`${lock.leftBehind} was killed, or crashed, or the machine went down`)
  if (config.adminKey && new Set(config.adminKey).size < 10) {
    log.warn('LECTERN_ADMIN_KEY: has fewer than 10 different characters, so that it may be guessed')
  }
  if (lock.isOpenToOthers) {
    log.warn(`LECTERN_DATA: others on this machine can look into "${config.data}"; chmod 700 keeps them out`)
  }
  const application = openApplication(config, log)
  const shutdown = handleShutdown(application.close, lock, log)
  const opened = await application.opened.catch(async (error) => {
    await shutdown.giveUp()
    throw error
  })
  if (opened.local) await present(opened.local, config, asked)
  else printReady(opened)
}

/** A process that keeps nothing in the folder has nothing to lock. */
function lockData(config: Config): DataLock {
  const keeps = config.role === 'all' && isEmbedded(config)
  return keeps ? lockDataFolder(config.data) : { leftBehind: null, isOpenToOthers: false, release() {} }
}

function printReady({ addresses }: Opened) {
  process.stdout.write(`Lectern is ready: ${addresses.join(', ')}\n`)
}

/** What a person sees of the whole of it. */
async function present(local: Local, config: Config, asked: string | null) {
  const baseUrl = baseUrlOf(config)
  const known = asked ? null : await readKnownProject(local)
  const first = asked ? projectOfAddress(asked) : manual(baseUrl)
  printAddresses(local, baseUrl, known ?? first.slug)
  if (known === null) await crawlFirst(local, first)
}

/** Lectern is of use without its first project. */
async function crawlFirst({ transport, adminKey }: Local, first: FirstProject) {
  try {
    await crawlFirstProject(transport, adminKey, first, process.stdout)
  } catch (error) {
    process.stderr.write(`${new URL(first.url).host} could not be crawled: ${reason(error)}\n`)
  }
}

/** The address on the command line; null where there is none. */
function readAddress(args: string[]): string | null {
  const [address, ...rest] = args
  if (address === undefined) return null
  if (rest.length > 0 || !/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new ConfigError(
      `npm start takes one http or https address, such as https://docs.example.org/; got: ${args.join(' ')}`,
    )
  }
  return address
}

/** The slug of the project to show at a start: the first public one, or the first; null where there is none. */
async function readKnownProject({ transport, adminKey }: Local): Promise<string | null> {
  const headers = { authorization: `Api-Key ${adminKey}` }
  const { results } = await createClient(ProjectService, transport).listProjects({ limit: 100 }, { headers })
  const [first = null] = [...results.filter(({ isPrivate }) => !isPrivate), ...results]
  return first?.slug ?? null
}

function printAddresses({ adminKey, adminKeyIsNew }: Local, baseUrl: string, slug: string) {
  const lines = [
    `Lectern is ready.`,
    `  Demo     ${baseUrl}/demo/${slug}/`,
    `  REST     ${baseUrl}/api/v2/projects/${slug}/search/?q=…`,
    `  Manual   ${baseUrl}/manual/`,
    adminKeyIsNew
      ? `  API key  ${adminKey}  (every permission; shown this once, kept in the data folder)`
      : '  API key  in the file admin-key of the data folder, or as set',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

// For all threads: V8 takes less of what a function calls into its compiled code. See "Crawling" in docs/trials.md.
setFlagsFromString('--max-inlined-bytecode-size-cumulative=200')

try {
  await main(process.argv.slice(2))
} catch (error) {
  const sentence = error instanceof ConfigError ? error.message : `Lectern could not start: ${reason(error)}`
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
