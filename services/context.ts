// What a handler knows about the call besides the request: the caller and the project.
//
// For authors of handlers:
// - The guard (guard/guard.ts) has run: the caller is authorized, the request is valid, the project is loaded.
// - `projectOf(context)` is the project that `slug` names. Do not load it again to check permissions.
// - `callerOf(context).key` is null without a key, or with an invalid key if the RPC needs none.
// - With `slug_optional`, the request may lack a slug: load the chat's project and call `admitTo(context, project)`.
// - `teamOf(context)` is the caller's team, for RPCs without a project.
// - Throw DomainError for expected errors. Anything else is logged and returned as `internal error`.
import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import type { DomainError } from './errors.ts'
import type { Permission } from './permissions.ts'
import type { Project } from './store/project.ts'
import type { Key } from './store/team.ts'

/** Interface of the call. Only the gateway can set another than `grpc`, which includes Connect and gRPC-Web. */
export type Surface = 'v1' | 'v2' | 'socket' | 'mcp' | 'grpc'

/** The gateway's signed description of its caller. */
export interface Origin {
  surface: Surface
  /** The caller's network address. */
  address: string
  /** Address of the program's own user, as claimed by the caller. Used only with a valid key. */
  clientAddress?: string | null
  /** The Origin header; null without one, and for the gateway's own pages. */
  origin: string | null
  /** Identifies the WebSocket connection; null for other surfaces. */
  connection: string | null
}

export interface Caller extends Origin {
  /** The key's team; null without a valid key. */
  team: string | null
  /** Null for the admin key, and without a valid key. */
  key: Key | null
  admin: boolean
  permissions: ReadonlySet<Permission>
  /** UUIDs of the projects that the key is scoped to; null: all projects of the team. */
  projects: readonly string[] | null
  /**
   * Called if a key is required but the key sent is invalid: records the failure and returns the error. Null without a
   * key, and with a valid one.
   */
  keyFault: (() => DomainError) | null
  /** Whether the origin has a valid signature of the gateway. */
  signed: boolean
}

/** Creates a caller without a key. */
export function createStranger(origin: Origin, signed: boolean): Caller {
  return {
    ...origin,
    signed,
    team: null,
    key: null,
    admin: false,
    permissions: new Set(),
    projects: null,
    keyFault: null,
  }
}

const nobody = createStranger({ surface: 'grpc', address: '', origin: null, connection: null }, false)

export const callerKey = createContextKey<Caller>(nobody, { description: 'caller' })
export const projectKey = createContextKey<Project | null>(null, { description: 'project' })
export const admitKey = createContextKey<(project: Project) => Caller>(
  () => {
    throw new Error('the guard has not run')
  },
  { description: 'admit' },
)
/** Set by a gateway in this process instead of a signature. */
export const originKey = createContextKey<Origin | null>(null, { description: 'origin' })
/** Network address of the peer; set by the listener. */
export const peerKey = createContextKey<string>('', { description: 'peer' })

/** Passes the origin to a core in this process. Network clients cannot set context values. */
export function toContext(origin: Origin): ContextValues {
  return createContextValues().set(originKey, origin)
}

type Values = Pick<HandlerContext, 'values'>

export function callerOf(context: Values): Caller {
  return context.values.get(callerKey)
}

/** The project that the request names. Throws in an RPC without `slug`, which is a bug. */
export function projectOf(context: Values): Project {
  const project = context.values.get(projectKey)
  if (!project) throw new Error('the request names no project')
  return project
}

/** The caller's team, in an RPC that requires a key. */
export function teamOf(context: Values): string {
  const { team } = callerOf(context)
  if (team === null) throw new Error('the caller has no team')
  return team
}

/**
 * Applies the RPC's access rules to a project that the handler has loaded. Returns the caller with its rights in that
 * project. Throws DomainError unauthenticated, permission_denied or not_found.
 */
export function admitTo(context: Values, project: Project): Caller {
  return context.values.get(admitKey)(project)
}

/** Whether the caller's key has the permission in the project. */
export function may(
  caller: Caller,
  project: Pick<Project, 'uuid' | 'team'>,
  permission: Permission,
): boolean {
  return (
    caller.team === project.team &&
    caller.permissions.has(permission) &&
    (caller.projects === null || caller.projects.includes(project.uuid))
  )
}
