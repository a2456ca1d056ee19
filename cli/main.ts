// The command line: talks to a running Lectern over gRPC.
import { Code, ConnectError } from '@connectrpc/connect'
import { Command, InvalidArgumentError, Option } from 'commander'
import { enumNames } from '../gateway/json/shape.ts'
import { PageStatusSchema } from '../gen/lectern/v1/page_pb.js'
import { EventLevelSchema, EventTypeSchema } from '../gen/lectern/v1/sync_pb.js'
import { ConfigError, readConfig, version } from '../services/config.ts'
import { ask } from './ask.ts'
import { type CoreClient, createCoreClient } from './client.ts'
import { nearest } from './did-you-mean.ts'
import { evaluate } from './evaluation/evaluate.ts'
import { QuestionError } from './evaluation/questions.ts'
import { createKey, deleteKey, listKeys } from './keys.ts'
import { inviteMember, listMembers, readRole, removeInvitation, removeMember, setRole } from './members.ts'
import { cancel, events, pages, recrawl } from './operate.ts'
import { withoutControls } from './print.ts'
import { addSettingOptions, setProject } from './project-settings.ts'
import { addProject, listProjects, removeProject } from './projects.ts'
import { search } from './search.ts'
import { type AddOptions, addSource, listSources, removeSource, sourceTypes } from './sources.ts'
import { status } from './status.ts'
import { sync } from './sync.ts'
import { checkUploadOptions, type UploadOptions, uploadFiles, uploadSite } from './uploads.ts'

const program = new Command('lectern')
  .description('Talks to a running Lectern. Address and key: LECTERN_GRPC, LECTERN_API_KEY.')
  .version(version)
  .showHelpAfterError('(lectern --help lists the commands, and lectern <command> --help its arguments)')
const json = ['--json', 'print JSON'] as const
const pageStatuses = enumNames(PageStatusSchema).filter((name) => name !== 'unknown')

program
  .command('sync')
  .description('start a sync of a project')
  .argument('<slug>')
  .option('-w, --wait', 'follow it until it ends; fails unless it completes')
  .option(...json)
  .action(async (slug, options) => sync(await client(), slug, options))

program
  .command('status')
  .description(
    'print version, drivers, models and the state of every project; fails if a server does not answer',
  )
  .option(...json)
  .action(async (options) => status(await client(), options))

program
  .command('pages')
  .description('list the addresses of a project with their outcome, or explain one')
  .argument('<slug>')
  .argument('[address]', 'the address to explain', readAddress)
  .option('--prefix <url>', 'only addresses that begin with it')
  .addOption(new Option('--status <status>', 'only this status').choices(pageStatuses))
  .option('--reason <reason>', 'only this reason, such as robots or http_4xx')
  .option('--source <uuid>', 'only addresses of this source')
  .option('-n, --limit <number>', 'rows', readNumber, 100)
  .option(...json)
  .action(async (slug, address, options) => pages(await client(), slug, address, options))

program
  .command('events')
  .description('print the event log of a run')
  .argument('<slug>')
  .option('--run <uuid>', 'the run; the latest if left out')
  .addOption(new Option('--level <level>', 'only this level').choices(enumNames(EventLevelSchema)))
  .addOption(new Option('--type <type>', 'only this type').choices(enumNames(EventTypeSchema)))
  .option('--url <url>', 'only this address')
  .option('--reason <reason>', 'only this reason')
  .option('--source <uuid>', 'only this source')
  .option('-n, --limit <number>', 'rows', readNumber, 100)
  .option(...json)
  .action(async (slug, options) => events(await client(), slug, options))

program
  .command('recrawl')
  .description('read one page again')
  .argument('<slug>')
  .argument('<url>', 'address of the page', readAddress)
  .option('-w, --wait', 'wait for the outcome; fails when the page is dropped')
  .option(...json)
  .action(async (slug, url, options) => recrawl(await client(), slug, url, options))

program
  .command('cancel')
  .description('cancel a run')
  .argument('<slug>')
  .argument('[run]', 'UUID of the run; the latest if left out')
  .option(...json)
  .action(async (slug, run, options) => cancel(await client(), slug, run, options))

program
  .command('search')
  .description('search a project')
  .argument('<slug>')
  .argument('<query...>')
  .option('-n, --limit <number>', 'results', readNumber, 10)
  .addOption(
    new Option('--scope <scope>', 'site: without uploaded files').choices(['all', 'site']).default('all'),
  )
  .option(...json)
  .action(async (slug, words, options) => search(await client(), slug, words.join(' '), options))

program
  .command('ask')
  .description('answer a question from a project')
  .argument('<slug>')
  .argument('<question...>')
  .option('--chat <uuid>', 'go on with this chat')
  .option('--token <token>', 'the restore token of the chat')
  .option('--think', 'search longer, and let the model reason')
  .addOption(new Option('--instant', 'search once, with the question as it is').conflicts('think'))
  .option('--json', 'print the events of the turn, one a line')
  .action(async (slug, words, options) => ask(await client(), slug, words.join(' '), options))

program
  .command('eval')
  .description('ask the questions of a file, score the answers, and compare with the last time')
  .argument('<slug>')
  .argument('<questions>', 'JSON lines: {"question": "…", "pages": ["guide/install.html"]}')
  .option('--search-only', 'look at search alone, without answers')
  .option('--results <file>', 'where results are kept; beside the questions if left out')
  .option(...json)
  .action(async (slug, file, options) => evaluate(await client(), slug, file, options))

program
  .command('export')
  .description('export all data of this installation to a file; also while Lectern runs')
  .argument('<file>', 'where to')
  .action(async (file) => (await transfer()).exportAll(readConfig(process.env), file))

program
  .command('import')
  .description('write what such a file holds into this installation; can be repeated')
  .argument('<file>')
  .option('--other-secret', 'LECTERN_SECRET differs here: leave credentials of sources out')
  .action(async (file, options) => (await transfer()).importAll(readConfig(process.env), file, options))

program
  .command('rotate-secret')
  .description(
    'encrypt the credentials of sources under another LECTERN_SECRET; no Lectern may run on its data',
  )
  .action(async () => (await transfer()).rotate(readConfig(process.env)))

const projects = program.command('projects').description('list, add, change and remove projects')
projects
  .command('list', { isDefault: true })
  .option(...json)
  .action(async (options) => listProjects(await client(), options))
projects
  .command('add')
  .description('make a project of a site, and sync it')
  .argument('<name>')
  .argument('<url>', 'where it begins', readAddress)
  .option('--slug <slug>', 'its slug; made from the name if left out')
  .option('--private', 'readers need a key')
  .option('-w, --wait', 'follow the first sync until it ends')
  .option(...json)
  .action(async (name, url, options) => addProject(await client(), name, url, options))
addSettingOptions(projects.command('set').description('change settings of a project').argument('<slug>'))
  .option(...json)
  .action(async (slug, options) => setProject(await client(), slug, options))
projects
  .command('remove')
  .argument('<slug>')
  .action(async (slug) => removeProject(await client(), slug))

const sources = program.command('sources').description('list, add and remove sources of a project')
sources
  .command('list', { isDefault: true })
  .argument('<slug>')
  .option(...json)
  .action(async (slug, options) => listSources(await client(), slug, options))
sources
  .command('add')
  .description('add a source; the next sync reads it')
  .argument('<slug>')
  .argument('[where...]', 'address where it begins; of files their paths, of a hosted site its archive')
  .addOption(new Option('--type <type>', 'what it is').choices(sourceTypes).default('site'))
  .option('--name <name>', 'for people; made from the address if left out')
  .option('--include <glob...>', 'addresses or paths to take')
  .option('--exclude <glob...>', 'addresses or paths to leave out')
  .option('--max-pages <number>', 'of a site', readNumber)
  .option('--max-depth <number>', 'links to follow away from the start of a site', readCount)
  .option('--branch <name>', 'of a repository; its own default if left out')
  .option(
    '--base-url <url>',
    'where readers are led: the site of a repository, the page of an API; where an uploaded site is served',
    readAddress,
  )
  .option('--spec <file>', 'API description in JSON or YAML, in place of an address; - is standard input')
  .option('--space-key <key>', 'of a space of Confluence')
  .option('--email <email>', 'of the account that the token belongs to')
  .option('--header <name>', 'HTTP header that an API description is read with')
  .option('--value <file>', 'file that holds the value of the header; - is standard input')
  .option('--token <file>', 'file that holds the access token; - is standard input')
  .option(...json)
  .action(async (slug, where, options) => addAnySource(await client(), slug, where, options))
sources
  .command('remove')
  .argument('<slug>')
  .argument('<uuid>')
  .action(async (slug, uuid) => removeSource(await client(), slug, uuid))

const keys = program.command('keys').description('list, create and delete API keys')
keys
  .command('list', { isDefault: true })
  .option(...json)
  .action(async (options) => listKeys(await client(), options))
keys
  .command('create')
  .argument('<name>')
  .argument('<permission...>', 'such as search, sync_create')
  .option('--project <slug...>', 'only for these projects')
  .option('--expires <time>', 'RFC 3339 time', readTime)
  .option(...json)
  .action(async (name, permissions, options) => createKey(await client(), name, permissions, options))
keys
  .command('delete')
  .argument('<uuid>')
  .action(async (uuid) => deleteKey(await client(), uuid))

const members = program.command('members').description('list, invite and remove members of the team')
members
  .command('list', { isDefault: true })
  .option(...json)
  .action(async (options) => listMembers(await client(), options))
members
  .command('invite')
  .argument('<email>')
  .argument('<role>', 'viewer, editor, maintainer or administrator', readRole)
  .option(...json)
  .action(async (email, role, options) => inviteMember(await client(), email, role, options))
members
  .command('role')
  .argument('<uuid>')
  .argument('<role>', 'viewer, editor, maintainer or administrator', readRole)
  .action(async (uuid, role) => setRole(await client(), uuid, role))
members
  .command('remove')
  .argument('<uuid>')
  .action(async (uuid) => removeMember(await client(), uuid))
members
  .command('uninvite')
  .description('take an invitation back')
  .argument('<uuid>')
  .action(async (uuid) => removeInvitation(await client(), uuid))

async function addAnySource(
  core: CoreClient,
  slug: string,
  where: string[],
  options: UploadOptions & { type: string },
) {
  if (options.type === 'file' || options.type === 'hosted_site') checkUploadOptions(options.type, options)
  if (options.type === 'file') return uploadFiles(core, slug, where, options)
  const [first, ...others] = where
  if (others.length > 0)
    throw new InvalidArgumentError('where must be one address, or the path of one archive.')
  if (options.type === 'hosted_site') return uploadSite(core, slug, first, options)
  return addSource(core, slug, first && readAddress(first), options as AddOptions)
}

/** Only these need stores and indexes. */
function transfer() {
  return import('./transfer.ts')
}

async function client() {
  return createCoreClient(readConfig(process.env))
}

function readNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

function readCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.')
  return Number(text)
}

/** Looked at before the project is made, so that a slip of the pen does not leave one without a source. */
function readAddress(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new InvalidArgumentError('It must be an http or https address.')
}

function readTime(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be an RFC 3339 time.')
  return time
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
  process.stderr.write(`lectern: ${withoutControls(sentenceOf(error) + (await suggestSlug(error)))}\n`)
  process.exitCode = 1
}

/** For an unknown slug, the nearest one. */
async function suggestSlug(error: unknown): Promise<string> {
  if (slug === null || ConnectError.from(error).code !== Code.NotFound) return ''
  const page = { limit: maxSuggested }
  const { results } = await (await client()).projects.listProjects(page).catch(() => ({ results: [] }))
  const slugs = results.map((project) => project.slug ?? '')
  const meant = slugs.includes(slug) ? null : nearest(slug, slugs)
  return meant === null ? '' : ` Did you mean ${meant}?`
}

function sentenceOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof QuestionError) return error.message
  const { code: fault, path } = error as NodeJS.ErrnoException
  if (fault === 'ENOENT' && path) return `${path} is not there`
  const { code, rawMessage } = ConnectError.from(error)
  if (code === Code.Unavailable)
    return `no Lectern answers: is it running, and is LECTERN_GRPC right? (${rawMessage})`
  return rawMessage
}
