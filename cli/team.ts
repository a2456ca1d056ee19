// `lectern keys`, `lectern members` and `lectern console`: who may use this installation.
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { TeamService } from '../gen/lectern/v1/team_pb.js'
import { readConfig, toBaseUrl } from '../services/config.ts'
import type { CliClient, JsonObject } from './client.ts'
import { type Command, call, json, list, type Options, option, readTime } from './command.ts'
import { describeFields, nearest, printJson, printLine, printRows, readPages } from './print.ts'

const keys = KeyService.method
const team = TeamService.method

const createKey = call(keys.createKey, ['name', 'permissions'], ({ key }) => key, {
  renamed: { project: 'projects', expires: 'expires_at' },
  note: 'This is the only time that the key is shown.',
})

/** Prints a link that signs a browser in, once and within ten minutes. The browser does not send the token when it loads the page. */
async function signIn(core: CliClient, options: Options): Promise<void> {
  const { token, expires_at } = await core.call(keys.createSignInLink, {})
  const url = toConsoleLink(toBaseUrl(readConfig(process.env)), token)
  if (options.json) return printJson({ url, expires_at })
  printLine(url)
  process.stderr.write('The link works once, within ten minutes.\n')
}

export const toConsoleLink = (baseUrl: string, token: string) => `${baseUrl}/console/#link=${token}`

/** `permissions[1] must be one of …` → `permission “serch” is unknown, the nearest is search` */
function describePermission(permissions: string[], field: string, problem: string): string {
  const [, at] = /^permissions\[(\d+)\]$/.exec(field) ?? []
  const given = at === undefined ? undefined : permissions[Number(at)]
  if (given === undefined) return `${field} ${problem}`
  const known = problem.match(/\b[a-z]+_?[a-z]+\b/g) ?? []
  const nearestName = nearest(given, known)
  return nearestName === null
    ? `permission “${given}” ${problem}`
    : `permission “${given}” is unknown, the nearest is ${nearestName}`
}

/** Prints members, then pending invitations. */
async function listMembers(core: CliClient, { json }: Options): Promise<void> {
  const rows: JsonObject[] = []
  for await (const page of readPages(core, team.listMembers, {})) {
    if (json) printJson(page)
    rows.push(...page.results)
  }
  if (json) return
  for await (const { results } of readPages(core, team.listInvitations, {})) rows.push(...results)
  printRows({ UUID: 'uuid', NAME: ['name', '(invited)'], EMAIL: 'email', ROLE: 'role' }, rows)
}

const role: [about: string] = ['viewer, editor, maintainer or administrator']

export const teamCommands: Command[] = [
  {
    usage: 'console',
    about: 'print a link that signs a browser in to the console; it works once, for ten minutes',
    options: [json],
    run: signIn,
  },
  {
    usage: 'keys list',
    isDefault: true,
    options: [json],
    run: list(keys.listKeys, [], {
      UUID: 'uuid',
      NAME: 'name',
      PROJECTS: ['projects', 'all'],
      EXPIRES: ['expires_at', 'never'],
      PERMISSIONS: 'permissions',
    }),
  },
  {
    usage: 'keys create <name> <permission...>',
    arguments: { permission: ['such as search, sync_create'] },
    options: [
      option('--project <slug...>', 'only for these projects'),
      option('--expires <time>', 'RFC 3339 time').argParser(readTime),
      json,
    ],
    run: (core, name, permissions, options) =>
      createKey(core, name, permissions, options).catch((error) => {
        throw describeFields(error, (field, problem) => describePermission(permissions, field, problem))
      }),
  },
  {
    usage: 'keys delete <uuid>',
    run: call(keys.deleteKey, ['key_uuid'], ({ key_uuid: uuid }) => `Deleted key ${uuid}.`),
  },
  { usage: 'members list', isDefault: true, options: [json], run: listMembers },
  {
    usage: 'members invite <email> <role>',
    arguments: { role },
    options: [json],
    run: call(team.createInvitation, ['email', 'role'], ({ token }) => token, {
      note: 'This is the only time that the token is shown. It is valid for seven days.',
    }),
  },
  {
    usage: 'members role <uuid> <role>',
    arguments: { role },
    run: call(team.updateMember, ['member_uuid', 'role'], ({ name, role }) => `${name} is ${role} now.`),
  },
  {
    usage: 'members remove <uuid>',
    run: call(
      team.deleteMember,
      ['member_uuid'],
      ({ member_uuid: uuid }) => `Removed member ${uuid} and the member's keys.`,
    ),
  },
  {
    usage: 'members uninvite <uuid>',
    about: 'withdraw an invitation',
    run: call(
      team.deleteInvitation,
      ['invitation_uuid'],
      ({ invitation_uuid: uuid }) => `Withdrew invitation ${uuid}.`,
    ),
  },
]
