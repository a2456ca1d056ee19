// What a handler knows of the call beside its request: who calls, and the project that the request names.
//
// For authors of handlers:
// - The guard (guard/guard.ts) has run: the caller may do this, the request keeps the contract's rules, the project is loaded.
// - `projectOf(context)` is the project named by `slug`. Never read it from the store again for permission's sake.
// - `callerOf(context).key` is null for a reader without a key (or with one that is no good where none is needed).
// - RPCs with `slug_optional` may come without slug: load the chat's project and call `admitTo(context, project)`.
// - `teamOf(context)` is the team of RPCs that name no project.
// - Throw DomainError for what goes wrong on purpose; anything else is logged and answered as `internal error`.
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

/** Where the call came in. Only the gateway can say anything but `grpc` (which is Connect and gRPC-Web too). */
export type Surface = 'v1' | 'v2' | 'socket' | 'mcp' | 'grpc'

/** What the gateway says of its caller, under its signature. */
export interface Origin {
  surface: Surface
  /** The caller's network address. */
  address: string
  /** The address that the caller says it asks for: that of a program's own reader. Counts where the key is good. */
  clientAddress?: string | null
  /** The Origin header; null without one, and for the gateway's own pages. */
  origin: string | null
  /** Identifies the socket that the message came on, or null. */
  connection: string | null
}

export interface Caller extends Origin {
  /** The team that the key works in; null without a good key. */
  team: string | null
  /** Null for the admin key, and without a good key. */
  key: Key | null
  admin: boolean
  permissions: ReadonlySet<Permission>
  /** UUIDs of the projects that the key is good for; null: all of the team. */
  projects: readonly string[] | null
  /**
   * Called where a key is needed and the one that was sent is no good: notes that, and makes the answer. Null without a
   * key, and with a good one.
   */
  keyFault: (() => DomainError) | null
  /** Whether the gateway's signature vouches for the origin. */
  signed: boolean
}

/** A caller who has shown no key. */
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
/** Told by a gateway of this process, in place of a signature. */
export const originKey = createContextKey<Origin | null>(null, { description: 'origin' })
/** Network address of the socket that the request came on; set by the listener. */
export const peerKey = createContextKey<string>('', { description: 'peer' })

/** Tells a core of this process who calls: nobody on the network can set values of a call. */
export function toContext(origin: Origin): ContextValues {
  return createContextValues().set(originKey, origin)
}

type Values = Pick<HandlerContext, 'values'>

export function callerOf(context: Values): Caller {
  return context.values.get(callerKey)
}

/** The project that the request names. An RPC without `slug` has none: asking there is a mistake of ours. */
export function projectOf(context: Values): Project {
  const project = context.values.get(projectKey)
  if (!project) throw new Error('the request names no project')
  return project
}

/** The team that the caller's key works in, on an RPC that needs a key. */
export function teamOf(context: Values): string {
  const { team } = callerOf(context)
  if (team === null) throw new Error('the caller has no team')
  return team
}

/**
 * Judges the caller by the RPC's access on a project that the handler has found itself, and answers the caller as it
 * counts there. Throws DomainError unauthenticated, permission_denied or not_found.
 */
export function admitTo(context: Values, project: Project): Caller {
  return context.values.get(admitKey)(project)
}

/** Whether the caller's key holds the permission on the project. */
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
