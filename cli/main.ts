// The command line: talks to a running Lectern over gRPC. `rows` lists the commands.
import { Code, ConnectError } from '@connectrpc/connect'
import { Argument, Command, Option } from 'commander'
import { enumNames } from '../gateway/json/write.ts'
import { PageStatusSchema } from '../gen/lectern/v1/page_pb.js'
import { EventLevelSchema, EventTypeSchema } from '../gen/lectern/v1/sync_pb.js'
import { ConfigError, readConfig, toBaseUrl, version } from '../services/config.ts'
import { readAddress, readCount, readNumber, readTime } from './arguments.ts'
import { ask, search } from './ask.ts'
import { type CoreClient, createCoreClient, createTransport } from './client.ts'
import { evaluate, QuestionError } from './evaluate.ts'
import { nearest, withoutControls } from './print.ts'
import { addProject, listProjects, removeProject, setProject, settingOptions, status } from './projects.ts'
import { cancel, events, pages, recrawl, sync } from './runs.ts'
import { addSource, listSources, removeSource, sourceTypes, testAddress } from './sources.ts'
import {
  createKey,
  deleteKey,
  inviteMember,
  listKeys,
  listMembers,
  readRole,
  removeInvitation,
  removeMember,
  setRole,
  signIn,
} from './team.ts'

interface Row {
  /** `keys create <name> <permission...>` */
  usage: string
  about?: string
  /** Argument name → its description and its parser. */
  arguments?: Record<string, [about: string, read?: (text: string) => unknown]>
  options?: Option[]
  isDefault?: boolean
  /** Takes the arguments, and the options last. */
  // biome-ignore lint/suspicious/noExplicitAny: commander hands over what the usage and the options say
  run(core: CoreClient, ...rest: any[]): Promise<void>
}

/** A command that needs no client of the core. */
interface LocalRow extends Omit<Row, 'run'> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  runHere(...rest: any[]): Promise<void>
}

const option = (flags: string, about: string) => new Option(flags, about)
const json = option('--json', 'print JSON')
const limit = (about: string, rows: number) =>
  option('-n, --limit <number>', about).argParser(readNumber).default(rows)
const oneOf = (flags: string, about: string, names: readonly string[]) => option(flags, about).choices(names)
const pageStatuses = enumNames(PageStatusSchema).filter((name) => name !== 'unknown')
const role: [string, typeof readRole] = ['viewer, editor, maintainer or administrator', readRole]
/** Only these need stores and indexes. */
const transfer = () => import('./transfer.ts')

const groups: Record<string, string> = {
  projects: 'list, add, change and remove projects',
  sources: 'list, add and remove sources of a project',
  keys: 'list, create and delete API keys',
  members: 'list, invite and remove members of the team',
}

const rows: (Row | LocalRow)[] = [
  {
    usage: 'sync <slug>',
    about: 'start a sync of a project',
    options: [option('-w, --wait', 'follow it until it ends; fails unless it completes'), json],
    run: sync,
  },
  {
    usage: 'status',
    about: 'print version, drivers, models and the state of every project; fails if a server does not answer',
    options: [json],
    run: status,
  },
  {
    usage: 'console',
    about: 'print a link that signs a browser in to the console; it works once, for ten minutes',
    options: [json],
    run: (core, options) => signIn(core, toBaseUrl(readConfig(process.env)), options),
  },
  {
    usage: 'pages <slug> [address]',
    about: 'list the addresses of a project with their outcome, or explain one',
    arguments: { address: ['the address to explain', readAddress] },
    options: [
      option('--prefix <url>', 'only addresses that begin with it'),
      oneOf('--status <status>', 'only this status', pageStatuses),
      option('--reason <reason>', 'only this reason, such as robots or http_4xx'),
      option('--source <uuid>', 'only addresses of this source'),
      limit('rows', 100),
      json,
    ],
    run: pages,
  },
  {
    usage: 'events <slug>',
    about: 'print the event log of a run',
    options: [
      option('--run <uuid>', 'the run; the latest if left out'),
      oneOf('--level <level>', 'only this level', enumNames(EventLevelSchema)),
      oneOf('--type <type>', 'only this type', enumNames(EventTypeSchema)),
      option('--url <url>', 'only this address'),
      option('--reason <reason>', 'only this reason'),
      option('--source <uuid>', 'only this source'),
      limit('rows', 100),
      json,
    ],
    run: events,
  },
  {
    usage: 'recrawl <slug> <url>',
    about: 'read one page again',
    arguments: { url: ['address of the page', readAddress] },
    options: [option('-w, --wait', 'wait for the outcome; fails when the page is dropped'), json],
    run: recrawl,
  },
  {
    usage: 'test <slug> <url>',
    about:
      'tell what a crawl would do with an address, without writing anything; fails unless it would be indexed',
    arguments: { url: ['address of the page', readAddress] },
    options: [
      option('--source <uuid>', 'by the rules of this source; as a page of its own if left out'),
      option('--include <glob...>', 'in place of the globs of the source'),
      option('--exclude <glob...>', 'in place of the globs of the source'),
      json,
    ],
    run: testAddress,
  },
  {
    usage: 'cancel <slug> [run]',
    about: 'cancel a run',
    arguments: { run: ['UUID of the run; the latest if left out'] },
    options: [json],
    run: cancel,
  },
  {
    usage: 'search <slug> <query...>',
    about: 'search a project',
    options: [
      limit('results', 10),
      oneOf('--scope <scope>', 'site: without uploaded files', ['all', 'site']).default('all'),
      json,
    ],
    run: search,
  },
  {
    usage: 'ask <slug> <question...>',
    about: 'answer a question from a project',
    options: [
      option('--chat <uuid>', 'go on with this chat'),
      option('--token <token>', 'the restore token of the chat'),
      option('--think', 'search longer, and let the model reason'),
      option('--instant', 'search once, with the question as it is').conflicts('think'),
      option('--json', 'print the events of the turn, one a line'),
    ],
    run: ask,
  },
  {
    usage: 'eval <slug> <questions>',
    about: 'ask the questions of a file, score the answers, and compare with the last time',
    arguments: { questions: ['JSON lines: {"question": "…", "pages": ["guide/install.html"]}'] },
    options: [
      option('--search-only', 'look at search alone, without answers'),
      option('--results <file>', 'where results are kept; beside the questions if left out'),
      json,
    ],
    run: evaluate,
  },
  {
    usage: 'mcp <slug>',
    about: 'serve MCP of a project on standard input and output, for an agent that starts this command',
    // Only this needs the packages of MCP.
    runHere: async (slug) =>
      (await import('./mcp.ts')).serveMcp(await createTransport(readConfig(process.env)), slug),
  },
  {
    usage: 'export <file>',
    about: 'export all data of this installation to a file; also while Lectern runs',
    arguments: { file: ['where to'] },
    runHere: async (file) => (await transfer()).exportAll(readConfig(process.env), file),
  },
  {
    usage: 'import <file>',
    about: 'write what such a file holds into this installation; can be repeated',
    options: [option('--other-secret', 'LECTERN_SECRET differs here: leave credentials of sources out')],
    runHere: async (file, options) => (await transfer()).importAll(readConfig(process.env), file, options),
  },
  {
    usage: 'rotate-secret',
    about: 'encrypt the credentials of sources under another LECTERN_SECRET; no Lectern may run on its data',
    runHere: async () => (await transfer()).rotate(readConfig(process.env)),
  },
  { usage: 'projects list', isDefault: true, options: [json], run: listProjects },
  {
    usage: 'projects add <name> <url>',
    about: 'make a project of a site, and sync it',
    arguments: { url: ['where it begins', readAddress] },
    options: [
      option('--slug <slug>', 'its slug; made from the name if left out'),
      option('--private', 'readers need a key'),
      option('-w, --wait', 'follow the first sync until it ends'),
      json,
    ],
    run: addProject,
  },
  {
    usage: 'projects set <slug>',
    about: 'change settings of a project',
    options: [...settingOptions, json],
    run: setProject,
  },
  { usage: 'projects remove <slug>', run: removeProject },
  { usage: 'sources list <slug>', isDefault: true, options: [json], run: listSources },
  {
    usage: 'sources add <slug> [where...]',
    about: 'add a source; the next sync reads it',
    arguments: {
      where: ['address where it begins; of files their paths, of a hosted site its archive'],
    },
    options: [
      oneOf('--type <type>', 'what it is', sourceTypes).default('site'),
      option('--name <name>', 'for people; made from the address if left out'),
      option('--include <glob...>', 'addresses or paths to take'),
      option('--exclude <glob...>', 'addresses or paths to leave out'),
      option('--max-pages <number>', 'of a site').argParser(readNumber),
      option('--max-depth <number>', 'links to follow away from the start of a site').argParser(readCount),
      option('--branch <name>', 'of a repository; its own default if left out'),
      option(
        '--base-url <url>',
        'where readers are led: the site of a repository, the page of an API; where an uploaded site is served',
      ).argParser(readAddress),
      option('--spec <file>', 'API description in JSON or YAML, in place of an address; - is standard input'),
      option('--space-key <key>', 'of a space of Confluence'),
      option('--email <email>', 'of the account that the token belongs to'),
      option('--header <name>', 'HTTP header that an API description is read with'),
      option('--value <file>', 'file that holds the value of the header; - is standard input'),
      option('--token <file>', 'file that holds the access token; - is standard input'),
      json,
    ],
    run: addSource,
  },
  { usage: 'sources remove <slug> <uuid>', run: removeSource },
  { usage: 'keys list', isDefault: true, options: [json], run: listKeys },
  {
    usage: 'keys create <name> <permission...>',
    arguments: { permission: ['such as search, sync_create'] },
    options: [
      option('--project <slug...>', 'only for these projects'),
      option('--expires <time>', 'RFC 3339 time').argParser(readTime),
      json,
    ],
    run: createKey,
  },
  { usage: 'keys delete <uuid>', run: deleteKey },
  { usage: 'members list', isDefault: true, options: [json], run: listMembers },
  { usage: 'members invite <email> <role>', arguments: { role }, options: [json], run: inviteMember },
  { usage: 'members role <uuid> <role>', arguments: { role }, run: setRole },
  { usage: 'members remove <uuid>', run: removeMember },
  { usage: 'members uninvite <uuid>', about: 'take an invitation back', run: removeInvitation },
]

const program = new Command('lectern')
  .description('Talks to a running Lectern. Address and key: LECTERN_GRPC, LECTERN_API_KEY.')
  .version(version)
  .showHelpAfterError('(lectern --help lists the commands, and lectern <command> --help its arguments)')
const commands = new Map(
  Object.entries(groups).map(([name, about]) => [name, new Command(name).description(about)]),
)
for (const row of rows) addCommand(row)
for (const command of commands.values()) program.addCommand(command)

function addCommand(row: Row | LocalRow) {
  const { usage, about = '', isDefault = false } = row
  const [group] = usage.split(' ')
  const parent = commands.get(group!)
  const [name, ...names] = usage.split(' ').slice(parent ? 1 : 0)
  const command = (parent ?? program).command(name!, { isDefault }).description(about)
  for (const each of names) {
    const argument = new Argument(each)
    const [meaning, read] = row.arguments?.[argument.name()] ?? []
    command.addArgument(read ? new Argument(each, meaning).argParser(read) : new Argument(each, meaning))
  }
  for (const each of row.options ?? []) command.addOption(each)
  // Commander appends the command itself to the arguments.
  command.action(async (...given) => {
    const rest = given.slice(0, -1)
    return 'run' in row ? row.run(await client(), ...rest) : row.runHere(...rest)
  })
}

async function client() {
  return createCoreClient(readConfig(process.env))
}

/** Projects whose slugs are compared. */
const maxSuggested = 100
/** Slug argument of the command; null if it takes none. */
let slug: string | null = null
program.hook('preAction', (_, { registeredArguments, args }) => {
  slug = registeredArguments[0]?.name() === 'slug' ? (args[0] ?? null) : null
})

// Whoever reads the output may stop early, as `head` does: then there is nothing more to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`lectern: ${withoutControls(toSentence(error) + (await suggestSlug(error)))}\n`)
  process.exitCode = 1
}

/** For an unknown slug, the nearest one. */
async function suggestSlug(error: unknown): Promise<string> {
  if (slug === null || ConnectError.from(error).code !== Code.NotFound) return ''
  const page = { limit: maxSuggested }
  const { results } = await (await client()).projects.listProjects(page).catch(() => ({ results: [] }))
  const slugs = results.map((project) => project.slug ?? '')
  const suggestion = slugs.includes(slug) ? null : nearest(slug, slugs)
  return suggestion === null ? '' : ` Did you mean ${suggestion}?`
}

function toSentence(error: unknown): string {
  if (error instanceof ConfigError || error instanceof QuestionError) return error.message
  const { code: fault, path } = error as NodeJS.ErrnoException
  if (fault === 'ENOENT' && path) return `${path} is not there`
  const { code, rawMessage } = ConnectError.from(error)
  if (code === Code.Unavailable)
    return `no Lectern answers: is it running, and is LECTERN_GRPC right? (${rawMessage})`
  return rawMessage
}
