// `npm start [-- <address of a documentation site>]`: starts Lectern. With an address, or at the very first start, it
// crawls a first project. LECTERN_ROLE selects what this process runs.
import { setFlagsFromString } from 'node:v8'
import { Code, ConnectError } from '@connectrpc/connect'
import { type CliClient, createCliClient, type JsonObject } from '../cli/client.ts'
import { followEmbedding, syncToEnd } from '../cli/progress.ts'
import { toConsoleLink } from '../cli/team.ts'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import {
  type Config,
  ConfigError,
  isEmbedded,
  listSecrets,
  readConfig,
  toBaseUrl,
} from '../services/config.ts'
import { type DataLock, lockDataFolder } from '../services/data/data-folder.ts'
import { checkDrivers } from '../services/drivers.ts'
import { toSlug } from '../services/project/project-change.ts'
import { type Local, openApplication } from './application.ts'
import { createLog, createLogTail, handleShutdown, ignoreBrokenPipe } from './process.ts'

async function main(args: string[]): Promise<void> {
  const address = readAddress(args)
  const config = readConfig(process.env)
  checkDrivers(config)
  if (address && config.role !== 'all') {
    throw new ConfigError(
      `LECTERN_ROLE: got "${config.role}", takes all where npm start is given an address.`,
    )
  }
  const writer = config.role === 'gateway' ? 'gateway' : 'core'
  const logTail = createLogTail(writer, [...listSecrets(process.env), config.data])
  const log = createLog(config.log, undefined, logTail)
  ignoreBrokenPipe()
  const lock = lockData(config)
  if (lock.leftBehind) log.warn(`${lock.leftBehind} was killed, or crashed, or the machine went down`)
  const application = openApplication(config, log, logTail)
  const shutdown = handleShutdown(application.close, lock, log)
  const { local, addresses } = await application.opened.catch(async (error) => {
    await shutdown.giveUp()
    throw error
  })
  if (local) await present(local, toBaseUrl(config), address)
  else process.stdout.write(`Lectern is ready: ${addresses.join(', ')}\n`)
}

/** The address on the command line, or null. */
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

/** Locks the data folder if this process stores data in it. */
function lockData(config: Config): DataLock {
  const keeps = config.role === 'all' && isEmbedded(config)
  return keeps ? lockDataFolder(config.data) : { leftBehind: null, release() {} }
}

interface FirstProject {
  slug: string
  url: string
  /** Name if the project is new. */
  name: string
}

/** Prints the addresses, and crawls the first project if it is new. */
async function present(local: Local, baseUrl: string, address: string | null) {
  const client = createCliClient({
    transport: local.transport,
    authorization: `Api-Key ${local.adminKey}`,
  })
  const known = address ? null : await readKnownProject(client)
  const first = address
    ? projectOfAddress(address)
    : { name: 'Lectern manual', slug: 'manual', url: `${baseUrl}/manual/` }
  const { token } = await client.call(KeyService.method.createSignInLink, {})
  printAddresses(local, { baseUrl, slug: known ?? first.slug, token })
  if (known !== null) return
  try {
    await crawlFirstProject(client, first)
  } catch (error) {
    // Lectern works without a first project.
    process.stderr.write(`${new URL(first.url).host} could not be crawled: ${reason(error)}\n`)
  }
}

/** The slug of the project to show at start: the first public project, else the first. Null if there are none. */
async function readKnownProject(client: CliClient): Promise<string | null> {
  const { results } = await client.call(ProjectService.method.listProjects, { limit: 100 })
  const first = results.find((project: JsonObject) => !project.is_private) ?? results[0]
  return first?.slug ?? null
}

/**
 * The project for `npm start -- https://docs.example.org/guide/`. Its name is the host until a run has read the title of the site.
 */
function projectOfAddress(address: string): FirstProject {
  const { host, pathname, href } = new URL(address)
  return { slug: toSlug(`${host}${pathname}`), url: href, name: host }
}

function printAddresses(
  { adminKey, adminKeyIsNew }: Local,
  { baseUrl, slug, token }: { baseUrl: string; slug: string; token: string },
) {
  const lines = [
    `Lectern is ready.`,
    `  Demo     ${baseUrl}/demo/${slug}/`,
    `  Console  ${toConsoleLink(baseUrl, token)}  (signs one browser in, within ten minutes)`,
    `  REST     ${baseUrl}/api/v2/projects/${slug}/search/?q=…`,
    `  Manual   ${baseUrl}/manual/`,
    adminKeyIsNew
      ? `  API key  ${adminKey}  (every permission; shown this once, kept in the data folder)`
      : '  API key  in the file admin-key of the data folder, or as set',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Creates the project if it is missing, crawls it, and draws the progress until its sections are embedded. */
async function crawlFirstProject(client: CliClient, { name, slug, url }: FirstProject): Promise<void> {
  await unlessThere(client.call(ProjectService.method.createProject, { project: { name, slug } }))
  await unlessThere(client.call(SourceService.method.createSource, { slug, source: { type: 'site', url } }))
  await syncToEnd(client, slug, process.stdout)
  const readProgress = async () => (await client.call(SyncService.method.getLatestSync, { slug })).embedding
  await followEmbedding(readProgress, process.stdout)
}

async function unlessThere(creation: Promise<unknown>) {
  try {
    await creation
  } catch (error) {
    if (ConnectError.from(error).code !== Code.AlreadyExists) throw error
  }
}

// For all threads: limits how much V8 inlines into a function. See "Crawling" in docs/trials.md.
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
