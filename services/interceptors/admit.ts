// Whether a caller may: the contract's `access` option against the caller and the project.
import type { Access } from '../../gen/lectern/v1/options_pb.js'
import { type Caller, createStranger, may } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import { checkOrigin } from '../project/allowed-domain.ts'
import type { Project } from '../store/project.ts'

/** Permissions over the team itself. */
const ofTeam = new Set(['team_read', 'team_update'])

/** Checks the caller of an RPC that names no project. Throws DomainError unauthenticated or permission_denied. */
export function admitToTeam(access: Access, caller: Caller): void {
  if (access.anyone || access.gateway) return
  requireKey(caller)
  if (access.admin) {
    if (!caller.admin) throw new DomainError('permission_denied', 'This needs the admin key.')
  } else if (!caller.permissions.has(access.permission as Permission)) {
    throw lacks(access.permission)
  } else if (caller.projects !== null && ofTeam.has(access.permission)) {
    throw new DomainError('permission_denied', 'A key scoped to projects cannot act on the team.')
  }
}

/**
 * Checks the caller of an RPC on a project and answers the caller as it counts there: a stranger where no key is needed and the key
 * is unknown or another team's. `token`: whether the request carries a restore token, which the handler verifies. A caller with a good
 * key may name the address of its own reader.
 * Throws DomainError unauthenticated, permission_denied, domain_not_allowed, or not_found for another team's project.
 */
export function admitToProject(access: Access, caller: Caller, project: Project, token: boolean): Caller {
  const open = access.gateway || (access.public && !project.isPrivate) || (access.restoreToken && token)
  const isOwn = caller.team === project.team
  if (may(caller, project, access.permission as Permission)) {
    return { ...caller, address: caller.clientAddress ?? caller.address }
  }
  if (open) {
    if (isJudgedByOrigin(access, caller)) checkOrigin(project.allowedDomains, caller.origin)
    return isOwn ? caller : createStranger(caller, caller.signed)
  }
  requireKey(caller)
  if (!isOwn) throw unknownProject()
  throw caller.permissions.has(access.permission as Permission)
    ? new DomainError('permission_denied', 'The API key is not good for this project.')
    : lacks(access.permission)
}

/**
 * The page's Origin restricts chats and MCP without a key. It does not restrict other reads of a public project: a preview of the
 * documentation searches from another host.
 */
function isJudgedByOrigin(access: Access, caller: Caller): boolean {
  return access.permission.startsWith('chats_') || caller.surface === 'mcp'
}

/** Throws DomainError permission_denied unless the gateway's signature vouches for the caller. */
export function requireGateway(caller: Caller): void {
  if (!caller.signed) throw new DomainError('permission_denied', 'Only the gateway may call this method.')
}

/** Throws where the caller has no good key. */
export function requireKey(caller: Caller): void {
  if (caller.team !== null) return
  throw caller.keyFault?.() ?? new DomainError('unauthenticated', 'This needs an API key.')
}

export function unknownProject(): DomainError {
  return new DomainError('not_found', 'There is no such project.')
}

function lacks(permission: string): DomainError {
  return new DomainError('permission_denied', `The API key lacks the permission ${permission}.`)
}
