// Authorizes callers: checks the RPC's `access` option in the contract against the caller and the project.
import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf'
import type { ContextValues, ServiceImpl } from '@connectrpc/connect'
import type { AdmissionService } from '../../gen/lectern/v1/admission_pb.js'
import { type Access, access as accessOption, body } from '../../gen/lectern/v1/options_pb.js'
import { admitKey, type Caller, callerKey, callerOf, createStranger, may, projectKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import { checkDomain } from '../project/allowed-domain.ts'
import { services } from '../routes.ts'
import type { Project, ProjectStore } from '../store/project.ts'

type MethodOptions = ReturnType<typeof readOptions>

const knownOptions = new WeakMap<DescMethod, MethodOptions>()

/** The contract's options of an RPC (options.proto). Reading options is slow, so they are cached. */
export function findOptions(method: DescMethod): MethodOptions {
  const options = knownOptions.get(method) ?? readOptions(method)
  knownOptions.set(method, options)
  return options
}

const readOptions = (method: DescMethod) => ({
  /** Null for RPCs of other packages (health, reflection). */
  access: hasOption(method, accessOption) ? getOption(method, accessOption) : null,
  /** The request's field that is the REST body; '' for the request itself. */
  body: getOption(method, body),
})

/** The parts of a request that access depends on. `slug`: '' if it names no project. */
type Subject = { slug: string; hasRestoreToken: boolean }

/**
 * Authorizes the caller by the RPC's access rules. Returns the project and the caller with its rights there. Returns null if the
 * handler has to load the project, or the RPC has none. Throws DomainError unauthenticated, permission_denied, or not_found
 * if the project is unknown to the caller.
 */
export type Authorize = (
  method: DescMethod,
  caller: Caller,
  subject: Subject,
) => Promise<{ caller: Caller; project: Project } | null>

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function createAuthorize(projects: Pick<ProjectStore, 'bySlug' | 'byUuid'>): Authorize {
  return async (method, caller, { slug, hasRestoreToken }) => {
    const access = findOptions(method).access!
    if (access.gateway && !caller.signed) {
      throw new DomainError('permission_denied', 'Only the gateway may call this method.')
    }
    if (!namesProject(method)) {
      admitToTeam(access, caller)
      return null
    }
    if (slug === '' && access.slugOptional) return null
    if (slug === '') throw new DomainError('invalid', 'slug is required.', { slug: ['is required'] })
    // RPCs that are never public must not reveal which projects exist.
    if (!access.public && !access.gateway && !(access.restoreToken && hasRestoreToken)) requireKey(caller)

    const project = await find(slug, caller)
    if (!project) throw unknownProject()
    return { caller: admitToProject(access, caller, project, hasRestoreToken), project }
  }

  /** Older clients may send the UUID instead of the slug. */
  async function find(slug: string, caller: Caller): Promise<Project | null> {
    const project = await projects.bySlug(slug)
    if (project || !['v1', 'socket'].includes(caller.surface) || !uuidForm.test(slug)) return project
    return projects.byUuid(slug)
  }
}

/** Authorizes a call by its first message. Sets the project, and the caller with its rights there, in the context. */
export async function admitCall(
  method: DescMethod,
  message: unknown,
  values: ContextValues,
  authorize: Authorize,
): Promise<void> {
  const caller = callerOf({ values })
  const { slug = '', restoreToken = '' } = (message ?? {}) as { slug?: string; restoreToken?: string }
  const hasRestoreToken = restoreToken !== ''
  const { access } = findOptions(method)
  values.set(admitKey, (project: Project) => admitToProject(access!, caller, project, hasRestoreToken))
  const admitted = await authorize(method, caller, { slug, hasRestoreToken })
  if (!admitted) return
  values.set(callerKey, admitted.caller)
  values.set(projectKey, admitted.project)
}

function namesProject({ input }: DescMethod): boolean {
  return input.fields.some((field) => field.name === 'slug')
}

const teamPermissions = new Set(['team_read', 'team_update'])

/** Authorizes the caller of an RPC without a project. */
function admitToTeam(access: Access, caller: Caller): void {
  if (access.anyone || access.gateway) return
  requireKey(caller)
  if (access.anyKey) return
  if (access.admin) {
    if (!caller.admin) throw new DomainError('permission_denied', 'This needs the admin key.')
  } else if (!caller.permissions.has(access.permission as Permission)) {
    throw lacks(access.permission)
  } else if (caller.projects !== null && teamPermissions.has(access.permission)) {
    throw new DomainError('permission_denied', 'A key scoped to projects cannot act on the team.')
  }
}

/**
 * Authorizes the caller of an RPC on a project and returns the caller with its rights there: a stranger if no key is needed and
 * the key is invalid or another team's. `token`: whether the request has a restore token, which the handler verifies. A caller
 * with a valid key may set its user's address. Throws DomainError, also domain_not_allowed.
 */
function admitToProject(access: Access, caller: Caller, project: Project, token: boolean): Caller {
  const open = access.gateway || (access.public && !project.isPrivate) || (access.restoreToken && token)
  const isOwn = caller.team === project.team
  if (may(caller, project, access.permission as Permission)) {
    return { ...caller, address: caller.clientAddress ?? caller.address }
  }
  if (open) {
    if (isJudgedByOrigin(access, caller)) checkDomain(project.allowedDomains, caller.origin)
    return isOwn ? caller : createStranger(caller, caller.signed)
  }
  requireKey(caller)
  if (!isOwn) throw unknownProject()
  throw caller.permissions.has(access.permission as Permission)
    ? new DomainError('permission_denied', 'The API key is not good for this project.')
    : lacks(access.permission)
}

/**
 * Without a key, `allowed_domains` restricts chats and MCP. It does not restrict other reads of a public project, because a
 * preview of the documentation searches from another host.
 */
function isJudgedByOrigin(access: Access, caller: Caller): boolean {
  return caller.origin !== null && (access.permission.startsWith('chats_') || caller.surface === 'mcp')
}

function requireKey(caller: Caller): void {
  if (caller.team !== null) return
  throw caller.keyFault?.() ?? new DomainError('unauthenticated', 'This needs an API key.')
}

function unknownProject(): DomainError {
  return new DomainError('not_found', 'There is no such project.')
}

function lacks(permission: string): DomainError {
  return new DomainError('permission_denied', `The API key lacks the permission ${permission}.`)
}

const methods = new Map<string, DescMethod>(
  services.flatMap((service) =>
    service.methods.map((method) => [`${service.typeName}/${method.name}`, method] as const),
  ),
)

/** Lets a gateway authorize a caller before it reads the body. Applies the same rules as the call itself. */
export function createAdmissionService(authorize: Authorize): Partial<ServiceImpl<typeof AdmissionService>> {
  return {
    async admit({ rpc, projectSlug, hasRestoreToken }, context) {
      const method = methods.get(rpc)
      if (!method) throw new DomainError('invalid', `There is no RPC ${rpc}.`, { rpc: ['is unknown'] })
      await authorize(method, callerOf(context), { slug: projectSlug, hasRestoreToken })
      return {}
    },
  }
}
