// TeamService: the team, its members, and invitations to become one. A member's keys are good for what the member's role
// holds at the moment of each call (interceptors/identify.ts).
import { randomBytes } from 'node:crypto'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { MemberRole as RoleMessage, type TeamService } from '../../gen/lectern/v1/team_pb.js'
import { callerOf, teamOf } from '../context.ts'
import { DomainError, isConflict } from '../errors.ts'
import { createKey, hashKey } from '../key/key-format.ts'
import { permissions, requireHeld } from '../permissions.ts'
import { type MemberRole, rolePermissions } from '../roles.ts'
import type { Key } from '../store/key.ts'
import type { Invitation, Member } from '../store/member.ts'
import { readPageRequest } from '../store/paging.ts'
import type { Store } from '../store/store.ts'
import type { Team } from '../store/team.ts'
import { toTime } from '../sync/sync-message.ts'

interface TeamDeps {
  store: Pick<Store, 'teams' | 'members' | 'invitations' | 'keys'>
  /** LECTERN_PAGE_LIMIT. */
  pageLimit: number | null
  now(): Date
  newUuid(): string
}

const roles: Record<MemberRole, RoleMessage> = {
  viewer: RoleMessage.VIEWER,
  editor: RoleMessage.EDITOR,
  maintainer: RoleMessage.MAINTAINER,
  administrator: RoleMessage.ADMINISTRATOR,
}

const invitationMs = 7 * 24 * 60 * 60_000
const maxTries = 5

export function createTeamService({
  store,
  pageLimit,
  now,
  newUuid,
}: TeamDeps): ServiceImpl<typeof TeamService> {
  const nowText = () => now().toISOString()

  /** Whoever runs an installation has subscribed to it: nothing ends, and nothing is tried. */
  const toTeam = ({ uuid, name }: Team) => ({
    uuid,
    name,
    subscription: { status: 'active', plan: 'self_hosted', ...(pageLimit !== null && { pageLimit }) },
    trial: { active: false },
  })

  async function insertKey(team: string, name: string, memberUuid: string | null): Promise<string> {
    const text = createKey(randomBytes)
    const key: Key = {
      uuid: newUuid(),
      team,
      name,
      hash: hashKey(text),
      permissions: [...permissions],
      projects: null,
      memberUuid,
      createdAt: nowText(),
      expiresAt: null,
      lastUsedAt: null,
    }
    await store.keys.insert(key)
    return text
  }

  return {
    async getTeam(_request, context) {
      const team = await store.teams.get(teamOf(context))
      if (team === null) throw new DomainError('not_found', 'There is no such team.')
      return { team: toTeam(team) }
    },

    async updateTeam({ name }, context) {
      const uuid = teamOf(context)
      if (name !== undefined) await store.teams.rename(uuid, name.trim())
      return { team: toTeam((await store.teams.get(uuid))!) }
    },

    async createTeam({ name }) {
      const team = { uuid: newUuid(), name: name.trim(), createdAt: nowText() }
      await store.teams.insert(team)
      return { uuid: team.uuid, name: team.name, key: await insertKey(team.uuid, 'Administrator', null) }
    },

    async listMembers(request, context) {
      const { count, rows } = await store.members.list(teamOf(context), readPageRequest(request))
      return { count, results: rows.map(toMember) }
    },

    async updateMember({ memberUuid, name, role }, context) {
      const team = teamOf(context)
      if (role !== undefined) requireRole(readRole(role), context)
      for (let tries = 0; tries < maxTries; tries++) {
        const member = await store.members.get(team, memberUuid)
        if (member === null) throw unknownMember()
        const changed = {
          ...member,
          name: name?.trim() ?? member.name,
          role: role === undefined ? member.role : readRole(role),
          revision: member.revision + 1,
        }
        if (await store.members.update(changed)) return { member: toMember(changed) }
      }
      throw new DomainError('changed_meanwhile', 'The member was changed by somebody else; try again.')
    },

    /** From the first write on the member's keys are good for nothing. */
    async deleteMember({ memberUuid }, context) {
      const team = teamOf(context)
      if (!(await store.members.delete(team, memberUuid))) throw unknownMember()
      await store.keys.deleteOfMember(team, memberUuid)
      return {}
    },

    async listInvitations(request, context) {
      const page = readPageRequest(request)
      const { count, rows } = await store.invitations.list(teamOf(context), nowText(), page)
      return { count, results: rows.map(toInvitation) }
    },

    async createInvitation(request, context) {
      const team = teamOf(context)
      const role = readRole(request.role)
      requireRole(role, context)
      const email = request.email.toLowerCase()
      if (await store.members.byEmail(team, email)) throw memberExists()
      await store.invitations.prune(nowText())
      const token = randomBytes(32).toString('base64url')
      const invitation: Invitation = {
        uuid: newUuid(),
        team,
        email,
        role,
        hash: hashKey(token),
        createdAt: nowText(),
        expiresAt: new Date(now().getTime() + invitationMs).toISOString(),
      }
      await store.invitations.insert(invitation)
      return { invitation: { ...toInvitation(invitation), token } }
    },

    async deleteInvitation({ invitationUuid }, context) {
      if (await store.invitations.delete(teamOf(context), invitationUuid)) return {}
      throw new DomainError('not_found', 'There is no such invitation.')
    },

    /**
     * The invitation is gone before there is a member: nobody can accept it twice. The key is there before, and good for
     * nothing until the member is: however far it comes, there is no member without a key.
     */
    async acceptInvitation({ token, name }) {
      const invitation = await store.invitations.take(hashKey(token), nowText())
      if (invitation === null) {
        throw new DomainError('not_found', 'There is no such invitation: it is unknown, accepted or expired.')
      }
      const { team, email, role } = invitation
      const member: Member = {
        uuid: newUuid(),
        team,
        name: name.trim(),
        email,
        role,
        createdAt: nowText(),
        revision: 1,
      }
      const key = await insertKey(team, member.name, member.uuid)
      try {
        await store.members.insert(member)
      } catch (error) {
        if (!isConflict(error)) throw error
        await store.keys.deleteOfMember(team, member.uuid)
        throw memberExists()
      }
      return { member: toMember(member), key }
    },
  }
}

function requireRole(role: MemberRole, context: HandlerContext): void {
  requireHeld(rolePermissions[role], callerOf(context).permissions, 'role')
}

function readRole(role: RoleMessage): MemberRole {
  return Object.entries(roles).find(([, number]) => number === role)![0] as MemberRole
}

function unknownMember(): DomainError {
  return new DomainError('not_found', 'There is no such member.')
}

function memberExists(): DomainError {
  const sentence = 'The team has a member of this e-mail address already.'
  return new DomainError('member_exists', sentence, { email: ['is a member already'] })
}

function toMember({ uuid, name, email, role, createdAt }: Member) {
  return { uuid, name, email, role: roles[role], createdAt: toTime(createdAt) }
}

function toInvitation({ uuid, email, role, createdAt, expiresAt }: Invitation) {
  return { uuid, email, role: roles[role], createdAt: toTime(createdAt), expiresAt: toTime(expiresAt) }
}
