// `npm start [-- <address of a documentation site>]`: starts Lectern, and with an address or at the very first start
// crawls a first project.
import { createClient } from '@connectrpc/connect'
import { pino } from 'pino'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { ConfigError, readConfig } from './config.ts'
import { type Application, openApplication } from './main/application.ts'
import { type DataLock, lockDataFolder } from './main/data-lock.ts'
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
  const lock = lockDataFolder(config.data)
  const application = await openApplication(config, log)
  closeOnSignal(application, lock)

  const first = asked ? projectOfAddress(asked) : await manualIfNew(application)
  printAddresses(application, first ?? manual(application.baseUrl))
  if (first)
    await crawlFirstProject(application.transport, application.secrets.adminKey, first, process.stdout)
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

function closeOnSignal(application: Application, lock: DataLock) {
  let closing = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (closing) process.exit(1)
      closing = true
      await application.close()
      lock.release()
      process.exit(0)
    })
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  const sentence = error instanceof ConfigError ? error.message : startFailure(error)
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function startFailure(error: unknown): string {
  return `Lectern could not start: ${error instanceof Error ? error.message : String(error)}`
}
