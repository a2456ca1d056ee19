// REST v2: teams, members, invitations, keys.
import { KeyService } from '../../gen/lectern/v1/key_pb.js'
import { TeamService } from '../../gen/lectern/v1/team_pb.js'
import { fromBody, fromPatch, fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toList, toNothing } from '../rest-write.ts'

const { getTeam, updateTeam, createTeam, listMembers, updateMember, deleteMember } = TeamService.method
const { listInvitations, createInvitation, deleteInvitation, acceptInvitation } = TeamService.method
const { createKey, listKeys, deleteKey } = KeyService.method
const keys = '/api/v2/keys/'
const key = '/api/v2/keys/{key_uuid}/'
const teams = '/api/v2/teams/'
const team = '/api/v2/team/'
const members = '/api/v2/team/members/'
const member = '/api/v2/team/members/{member_uuid}/'
const invitations = '/api/v2/team/invitations/'
const invitation = '/api/v2/team/invitations/{invitation_uuid}/'
const accept = '/api/v2/team/invitations/accept/'

// biome-ignore format: a table
export const teamRows: Row[] = [
  { method: 'GET', path: keys, call: listKeys, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: keys, call: createKey, read: fromBody, write: toAnswer, status: 201 },
  { method: 'DELETE', path: key, call: deleteKey, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: teams, call: createTeam, read: fromBody, write: toAnswer, status: 201 },
  { method: 'GET', path: team, call: getTeam, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: team, call: updateTeam, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'GET', path: members, call: listMembers, read: fromQuery, write: toList, status: 200 },
  { method: 'PATCH', path: member, call: updateMember, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: member, call: deleteMember, read: fromQuery, write: toNothing, status: 204 },
  { method: 'GET', path: invitations, call: listInvitations, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: invitations, call: createInvitation, read: fromBody, write: toAnswer, status: 201 },
  { method: 'DELETE', path: invitation, call: deleteInvitation, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: accept, call: acceptInvitation, read: fromBody, write: toAnswer, status: 201 },
]
