// The command line. It calls a running Lectern over gRPC. Each file of commands exports rows.
import { Code, ConnectError } from '@connectrpc/connect'
import { Argument, Command as Program } from 'commander'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { readConfig, version } from '../services/config.ts'
import { askCommands } from './ask.ts'
import { connect, createCliClient, type JsonObject } from './client.ts'
import { type Command, json, option } from './command.ts'
import { evaluate } from './evaluate.ts'
import { nearest, withoutControls } from './print.ts'
import { projectCommands } from './projects.ts'
import { runCommands } from './runs.ts'
import { sourceCommands } from './sources.ts'
import { teamCommands } from './team.ts'

/** Loaded on demand: only these commands need stores and indexes. */
const transfer = () => import('./transfer.ts')

const groups: Record<string, string> = {
  projects: 'list, add, change and remove projects',
  sources: 'list, add and remove sources of a project',
  keys: 'list, create and delete API keys',
  members: 'list, invite and remove members of the team',
}

const commands: Command[] = [
  ...projectCommands,
  ...sourceCommands,
  ...runCommands,
  ...askCommands,
  ...teamCommands,
  {
    usage: 'eval <slug> <questions>',
    about: 'ask the questions of a file, score the answers, and compare them with the last evaluation',
    arguments: { questions: ['JSON lines: {"question": "…", "pages": ["guide/install.html"]}'] },
    options: [
      option('--search-only', 'score search only, without answers'),
      option('--results <file>', 'file for the results; next to the questions if left out'),
      json,
    ],
    run: evaluate,
  },
  {
    usage: 'mcp <slug>',
    about: 'serve MCP of a project on standard input and output, for an agent that starts this command',
    // Loaded on demand: only this command needs MCP's packages.
    runHere: async (slug) =>
      (await import('./mcp.ts')).serveMcp(await connect(readConfig(process.env)), slug),
  },
  {
    usage: 'export <file>',
    about: 'export all data of this installation to a file; also while Lectern runs',
    arguments: { file: ['where to'] },
    runHere: async (file) => (await transfer()).exportAll(readConfig(process.env), file),
  },
  {
    usage: 'import <file>',
    about: 'import such a file into this installation; can be repeated',
    options: [option('--other-secret', 'LECTERN_SECRET differs here: leave credentials of sources out')],
    runHere: async (file, options) => (await transfer()).importAll(readConfig(process.env), file, options),
  },
  {
    usage: 'rotate-secret',
    about: 'encrypt the credentials of sources under another LECTERN_SECRET; no Lectern may run on its data',
    runHere: async () => (await transfer()).rotate(readConfig(process.env)),
  },
]

const program = new Program('lectern')
  .description('Talks to a running Lectern. Address and key: LECTERN_GRPC, LECTERN_API_KEY.')
  .version(version)
  .showHelpAfterError('(lectern --help lists the commands, and lectern <command> --help its arguments)')
const parents = new Map(
  Object.entries(groups).map(([name, about]) => [name, new Program(name).description(about)]),
)
for (const command of commands) addCommand(command)
for (const parent of parents.values()) program.addCommand(parent)

function addCommand(row: Command) {
  const { usage, about = '', isDefault = false } = row
  const [group] = usage.split(' ')
  const parent = parents.get(group!)
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
    return row.run ? row.run(await client(), ...rest) : row.runHere!(...rest)
  })
}

async function client() {
  return createCliClient(await connect(readConfig(process.env)))
}

/** Projects whose slugs are compared. */
const maxSuggested = 100
/** Slug argument of the command; null if it takes none. */
let slug: string | null = null
program.hook('preAction', (_, { registeredArguments, args }) => {
  slug = registeredArguments[0]?.name() === 'slug' ? (args[0] ?? null) : null
})

// A reader such as `head` may close the pipe early: nothing is left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`lectern: ${withoutControls(toSentence(error) + (await suggestSlug(error)))}\n`)
  process.exitCode = 1
}

/** Suggests the nearest slug if the given one is unknown. */
async function suggestSlug(error: unknown): Promise<string> {
  if (slug === null || ConnectError.from(error).code !== Code.NotFound) return ''
  const list = (await client()).call(ProjectService.method.listProjects, { limit: maxSuggested })
  const { results } = await list.catch(() => ({ results: [] }))
  const slugs: string[] = results.map((project: JsonObject) => project.slug)
  const suggestion = slugs.includes(slug) ? null : nearest(slug, slugs)
  return suggestion === null ? '' : ` Did you mean ${suggestion}?`
}

function toSentence(error: unknown): string {
  const { code: fault, path } = error as NodeJS.ErrnoException
  if (fault === 'ENOENT' && path) return `${path} does not exist`
  const { code, rawMessage } = ConnectError.from(error)
  if (code === Code.Unavailable)
    return `no Lectern answers: is it running, and is LECTERN_GRPC right? (${rawMessage})`
  return rawMessage
}
