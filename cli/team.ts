// `lectern keys`, `lectern members` and `lectern console`: who may use this installation.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { InvalidArgumentError } from 'commander'
import { enumName, enumNames, enumNumber } from '../gateway/json/write.ts'
import { ListKeysResponseSchema, NewKeySchema } from '../gen/lectern/v1/key_pb.js'
import {
  ListMembersResponseSchema,
  type MemberRole,
  MemberRoleSchema,
  NewInvitationSchema,
} from '../gen/lectern/v1/team_pb.js'
import type { CoreClient } from './client.ts'
import {
  describeFields,
  nearest,
  type PrintOptions,
  printJson,
  printJsonLine,
  printLine,
  printList,
  printTable,
  readPages,
} from './print.ts'

export async function listKeys(client: CoreClient, options: PrintOptions): Promise<void> {
  await printList(options, {
    head: ['UUID', 'NAME', 'PROJECTS', 'EXPIRES', 'PERMISSIONS'],
    schema: ListKeysResponseSchema,
    read: (page) => client.keys.listKeys(page),
    toRow({ uuid, name, projects, permissions, expiresAt }) {
      const expiry = expiresAt ? timestampDate(expiresAt).toISOString() : 'never'
      return [uuid, name, projects?.slugs.join(',') ?? 'all', expiry, permissions.join(',')]
    },
  })
}

export async function createKey(
  client: CoreClient,
  name: string,
  permissions: string[],
  options: PrintOptions & { project?: string[]; expires?: Date },
): Promise<void> {
  const wanted = {
    name,
    permissions,
    ...(options.project && { projects: { slugs: options.project } }),
    ...(options.expires && { expiresAt: timestampFromDate(options.expires) }),
  }
  const { key } = await client.keys.createKey(wanted).catch((error) => {
    throw describeFields(error, (field, problem) => describePermission(permissions, field, problem))
  })
  if (!key) return
  if (options.json) return printJson(NewKeySchema, key)
  printLine(key.key)
  process.stderr.write('This is the only time that the key is shown.\n')
}

export async function deleteKey(client: CoreClient, uuid: string): Promise<void> {
  await client.keys.deleteKey({ keyUuid: uuid })
  printLine(`Deleted key ${uuid}.`)
}

/** Prints a link that signs a browser in, once and within ten minutes. The token is not sent with requests for the page. */
export async function signIn(client: CoreClient, baseUrl: string, { json }: PrintOptions): Promise<void> {
  const { token, expiresAt } = await client.keys.createSignInLink({})
  const url = toConsoleLink(baseUrl, token)
  if (json) return printJsonLine({ url, expires_at: timestampDate(expiresAt!).toISOString() })
  printLine(url)
  process.stderr.write('The link works once, within ten minutes.\n')
}

export const toConsoleLink = (baseUrl: string, token: string) => `${baseUrl}/console/#link=${token}`

/** `permissions[1] must be one of …` → `permission “serch” is unknown: did you mean search?` */
function describePermission(permissions: string[], field: string, problem: string): string {
  const [, at] = /^permissions\[(\d+)\]$/.exec(field) ?? []
  const given = at === undefined ? undefined : permissions[Number(at)]
  if (given === undefined) return `${field} ${problem}`
  const known = problem.match(/\b[a-z]+_?[a-z]+\b/g) ?? []
  const meant = nearest(given, known)
  return meant === null
    ? `permission “${given}” ${problem}`
    : `permission “${given}” is unknown: did you mean ${meant}?`
}

/** Members, and below them the invitations that nobody has accepted yet. */
export async function listMembers(client: CoreClient, { json }: PrintOptions): Promise<void> {
  const rows: string[][] = []
  for await (const page of readPages((page) => client.team.listMembers(page))) {
    if (json) printJson(ListMembersResponseSchema, page)
    for (const { uuid, name, email, role } of page.results) rows.push([uuid, name, email, toName(role)])
  }
  if (json) return
  for await (const page of readPages((page) => client.team.listInvitations(page)))
    for (const { uuid, email, role } of page.results) rows.push([uuid, '(invited)', email, toName(role)])
  printTable(['UUID', 'NAME', 'EMAIL', 'ROLE'], rows)
}

export async function inviteMember(
  client: CoreClient,
  email: string,
  role: MemberRole,
  { json }: PrintOptions,
): Promise<void> {
  const { invitation } = await client.team.createInvitation({ email, role })
  if (!invitation) return
  if (json) return printJson(NewInvitationSchema, invitation)
  printLine(invitation.token)
  process.stderr.write('This is the only time that the token is shown. It is good for seven days.\n')
}

export async function setRole(client: CoreClient, uuid: string, role: MemberRole): Promise<void> {
  const { member } = await client.team.updateMember({ memberUuid: uuid, role })
  printLine(`${member?.name} is ${toName(role)} now.`)
}

export async function removeMember(client: CoreClient, uuid: string): Promise<void> {
  await client.team.deleteMember({ memberUuid: uuid })
  printLine(`Member ${uuid} is out, and so are the member's keys.`)
}

export async function removeInvitation(client: CoreClient, uuid: string): Promise<void> {
  await client.team.deleteInvitation({ invitationUuid: uuid })
  printLine(`Invitation ${uuid} is no good any more.`)
}

export function readRole(text: string): MemberRole {
  const role = enumNumber(MemberRoleSchema, text)
  if (role) return role
  throw new InvalidArgumentError(`It must be one of ${enumNames(MemberRoleSchema).join(', ')}.`)
}

function toName(role: MemberRole): string {
  return enumName(MemberRoleSchema, role) ?? ''
}
