// TeamService: teams, members and invitations. A member's keys have the permissions of the member's current role
// (guard/identify.ts).
import { randomBytes } from 'node:crypto'
import type { HandlerContext } from '@connectrpc/connect'
import { MemberRole as RoleMessage, type TeamService } from '../../gen/lectern/v1/team_pb.js'
import { type Caller, callerOf, teamOf } from '../context.ts'
import { DomainError, isConflict } from '../errors.ts'
import { createKey, grantor, grantsUntil, hashKey, newKey } from '../key/key-format.ts'
import { readEnum } from '../message.ts'
import { type MemberRole, refuseMore, requireHeld, rolePermissions } from '../permissions.ts'
import { retryChange } from '../retry.ts'
import type { Handlers } from '../routes.ts'
import { createSemaphore } from '../semaphore.ts'
import { listAll, readPageRequest } from '../store/paging.ts'
import type { Store } from '../store/store.ts'
import type { Invitation, Member, Team } from '../store/team.ts'

interface TeamDeps {
  store: Pick<Store, 'teams' | 'members' | 'invitations' | 'keys'>
  pageLimit: number | null
  now(): Date
  newUuid(): string
}

const invitationMs = 7 * 24 * 60 * 60_000

export function createTeamService({
  store,
  pageLimit,
  now,
  newUuid,
}: TeamDeps): Handlers<typeof TeamService> {
  const nowText = () => now().toISOString()
  /** Serializes changes of a team's members, so that two administrators cannot remove each other concurrently. */
  const changes = createSemaphore({ max: 100, maxOfGroup: 1 })

  /** Self-hosted installations always have an active subscription and no trial. */
  const toTeam = ({ uuid, name }: Team) => ({
    uuid,
    name,
    subscription: { status: 'active', plan: 'self_hosted', ...(pageLimit !== null && { pageLimit }) },
    trial: { active: false },
  })

  async function readMember(team: string, uuid: string): Promise<Member> {
    const member = await store.members.get(team, uuid)
    if (member === null) throw unknownMember()
    return member
  }

  /** Throws DomainError permission_denied if the caller's key lacks permissions of the member, or expires and the role is raised. */
  async function checkRoleChange(
    member: Member,
    role: MemberRole,
    { permissions, key }: Caller,
  ): Promise<void> {
    const before = rolePermissions[member.role]
    refuseMore(before, permissions, 'You cannot change the role of a member who holds more than your key')
    if (grantsUntil(key) !== null && !rolePermissions[role].every((name) => before.includes(name))) {
      throw new DomainError('permission_denied', 'A key that expires cannot raise a role.', {
        role: ['must not hold more than the current role'],
      })
    }
    await keepAdministrator(member)
  }

  /** Throws DomainError last_administrator if the team has no other administrator. */
  async function keepAdministrator(member: Member): Promise<void> {
    if (member.role !== 'administrator') return
    const isOther = ({ uuid, role }: Member) => role === 'administrator' && uuid !== member.uuid
    for await (const one of listAll((page) => store.members.list(member.team, page))) if (isOther(one)) return
    const sentence = 'This is the last administrator of the team. Make another member administrator first.'
    throw new DomainError('last_administrator', sentence)
  }

  /** Whether the invitation's creator still exists and has the permissions of the role. The admin key always does. */
  async function isGranted({ team, role, creator }: Invitation): Promise<boolean> {
    if (!creator) return true
    const member = await store.members.get(team, creator)
    const granted = member ? rolePermissions[member.role] : (await store.keys.get(team, creator))?.permissions
    return rolePermissions[role].every((name) => granted?.includes(name))
  }

  async function insertKey(team: string, name: string, memberUuid: string | null): Promise<string> {
    const text = createKey(randomBytes)
    const given = { uuid: newUuid(), team, name, hash: hashKey(text), memberUuid, createdAt: nowText() }
    await store.keys.insert(newKey(given))
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
      return { count, results: rows }
    },

    updateMember({ memberUuid, name, role }, context) {
      const team = teamOf(context)
      if (role !== undefined) requireRole(readRole(role), context)
      const change = () =>
        retryChange('member', async () => {
          const member = await readMember(team, memberUuid)
          const changed = {
            ...member,
            name: name?.trim() ?? member.name,
            role: role === undefined ? member.role : readRole(role),
            revision: member.revision + 1,
          }
          if (changed.role !== member.role) await checkRoleChange(member, changed.role, callerOf(context))
          return (await store.members.update(changed)) ? { member: changed } : null
        })
      return changes.run(team, change)
    },

    /** The member's keys become invalid with the first write. */
    deleteMember({ memberUuid }, context) {
      const team = teamOf(context)
      return changes.run(team, async () => {
        const member = await readMember(team, memberUuid)
        const sentence = 'You cannot remove a member who holds more than your key'
        refuseMore(rolePermissions[member.role], callerOf(context).permissions, sentence)
        await keepAdministrator(member)
        if (!(await store.members.delete(team, memberUuid))) throw unknownMember()
        await store.keys.deleteOfMember(team, memberUuid)
        return {}
      })
    },

    async listInvitations(request, context) {
      const page = readPageRequest(request)
      const { count, rows } = await store.invitations.list(teamOf(context), nowText(), page)
      return { count, results: rows }
    },

    async createInvitation(request, context) {
      const team = teamOf(context)
      const role = readRole(request.role)
      requireRole(role, context)
      const caller = callerOf(context)
      if (grantsUntil(caller.key) !== null) {
        throw new DomainError(
          'permission_denied',
          'A key that expires cannot invite, because members do not expire.',
        )
      }
      const email = request.email.toLowerCase()
      if (await store.members.byEmail(team, email)) throw memberExists()
      await store.invitations.prune(nowText())
      const token = randomBytes(32).toString('base64url')
      const invitation: Invitation = {
        uuid: newUuid(),
        team,
        email,
        role,
        creator: caller.key?.memberUuid ?? grantor(caller.key),
        hash: hashKey(token),
        createdAt: nowText(),
        expiresAt: new Date(now().getTime() + invitationMs).toISOString(),
      }
      await store.invitations.insert(invitation)
      return { invitation: { ...invitation, token } }
    },

    async deleteInvitation({ invitationUuid }, context) {
      if (await store.invitations.delete(teamOf(context), invitationUuid)) return {}
      throw new DomainError('not_found', 'There is no such invitation.')
    },

    /**
     * Deletes the invitation first, so that it cannot be accepted twice. Creates the key before the member, without whom it is
     * invalid, so that a crash leaves no member without a key.
     */
    async acceptInvitation({ token, name }) {
      const invitation = await store.invitations.take(hashKey(token), nowText())
      if (invitation === null || !(await isGranted(invitation))) {
        const sentence =
          'There is no such invitation: it is unknown, accepted or expired, or its creator was removed.'
        throw new DomainError('not_found', sentence)
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
      return { member, key }
    },
  }
}

function requireRole(role: MemberRole, context: HandlerContext): void {
  requireHeld(rolePermissions[role], callerOf(context).permissions, 'role')
}

function readRole(role: RoleMessage): MemberRole {
  return readEnum(RoleMessage, role)!
}

function unknownMember(): DomainError {
  return new DomainError('not_found', 'There is no such member.')
}

function memberExists(): DomainError {
  const sentence = 'The team has a member of this e-mail address already.'
  return new DomainError('member_exists', sentence, { email: ['is a member already'] })
}
