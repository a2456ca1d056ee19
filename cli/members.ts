// `lectern members`: lists the team's members, invites people, changes roles and takes members out.
import { InvalidArgumentError } from 'commander'
import { enumName, enumNames, enumNumber } from '../gateway/json/shape.ts'
import {
  ListMembersResponseSchema,
  type MemberRole,
  MemberRoleSchema,
  NewInvitationSchema,
} from '../gen/lectern/v1/team_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printTable } from './print.ts'

const atOnce = 100

/** Members, and below them the invitations that nobody has accepted yet. */
export async function listMembers(client: CoreClient, { json }: PrintOptions): Promise<void> {
  const rows: string[][] = []
  for (let offset = 0; ; offset += atOnce) {
    const page = await client.team.listMembers({ limit: atOnce, offset })
    if (json) printJson(ListMembersResponseSchema, page)
    for (const { uuid, name, email, role } of page.results) rows.push([uuid, name, email, nameOf(role)])
    if (offset + atOnce >= page.count) break
  }
  if (json) return
  for (let offset = 0; ; offset += atOnce) {
    const page = await client.team.listInvitations({ limit: atOnce, offset })
    for (const { uuid, email, role } of page.results) rows.push([uuid, '(invited)', email, nameOf(role)])
    if (offset + atOnce >= page.count) break
  }
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
  printLine(`${member?.name} is ${nameOf(role)} now.`)
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

function nameOf(role: MemberRole): string {
  return enumName(MemberRoleSchema, role) ?? ''
}
