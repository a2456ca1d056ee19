// `npm start [-- <address of a documentation site>]`: starts Lectern, and with an address or at the very first start
// crawls a first project.
import { createClient } from '@connectrpc/connect'
import { pino } from 'pino'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { ConfigError, readConfig } from './config.ts'
import { type Application, openApplication } from './main/application.ts'
import { lockDataFolder } from './main/data-lock.ts'
import { outliveReaders, watchEnding } from './main/ending.ts'
import { crawlFirstProject, type FirstProject, projectOfAddress } from './main/first-run.ts'

const manual = (baseUrl: string): FirstProject => ({
  name: 'Lectern manual',
  slug: 'manual',
  url: `${baseUrl}/manual/`,
})

async function main(args: string[]): Promise<void> {
  const asked = readAddress(args)
  const config = readConfig(process.env)
  const log = pino({ level: config.log, base: null }, pino.destination({ dest: 2, sync: true }))
  outliveReaders()
  const lock = lockDataFolder(config.data)
  if (lock.leftBehind) log.warn(`${lock.leftBehind} was killed, or crashed, or the machine went down`)
  const application = await openApplication(config, log).catch((error) => {
    lock.release()
    throw error
  })
  watchEnding(application.close, lock, log)

  const first = asked ? projectOfAddress(asked) : await manualIfNew(application)
  printAddresses(application, first ?? manual(application.baseUrl))
  if (first) await crawlFirst(application, first)
}

/** Lectern is of use without its first project. */
async function crawlFirst({ transport, secrets }: Application, first: FirstProject) {
  try {
    await crawlFirstProject(transport, secrets.adminKey, first, process.stdout)
  } catch (error) {
    process.stderr.write(`${first.name} could not be crawled: ${reason(error)}\n`)
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

/** The manual is the first project of an installation that has none. */
async function manualIfNew({ transport, secrets, baseUrl }: Application): Promise<FirstProject | null> {
  const headers = { authorization: `Api-Key ${secrets.adminKey}` }
  const { count } = await createClient(ProjectService, transport).listProjects({ limit: 1 }, { headers })
  return count === 0 ? manual(baseUrl) : null
}

function printAddresses({ baseUrl, secrets }: Application, { slug }: FirstProject) {
  const lines = [
    `Lectern is ready.`,
    `  Demo     ${baseUrl}/demo/${slug}/`,
    `  REST     ${baseUrl}/api/v2/projects/${slug}/search/?q=…`,
    `  Manual   ${baseUrl}/manual/`,
    secrets.adminKeyIsNew
      ? `  API key  ${secrets.adminKey}  (every permission; shown this once, kept in the data folder)`
      : '  API key  in the file admin-key of the data folder, or as set',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

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
