// Admits calls by the `access` option of their RPC, and puts caller and project into the context.

import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf'
import type { StreamRequest } from '@connectrpc/connect'
import { admitKey, type Caller, callerKey, originKey, peerKey, projectKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Project, ProjectStore } from '../store/project.ts'
import { admitToProject, admitToTeam, requireGateway, requireKey, unknownProject } from './admit.ts'
import type { Check } from './checks.ts'
import type { Identify } from './identify.ts'
import { optionsOf } from './method-options.ts'

/** What of a request decides who may make it. */
interface Subject {
  /** '' where it names no project. */
  slug: string
  hasRestoreToken: boolean
}

/** Null: the request's handler finds the project itself. */
type Admitted = { caller: Caller; project: Project } | null

/**
 * Decides whether a caller may call, by the RPC's access. Throws DomainError unauthenticated, permission_denied, or not_found where there is
 * no such project for the caller.
 */
export type Authorize = (method: DescMethod, caller: Caller, subject: Subject) => Promise<Admitted>

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function createAuthorize(projects: Pick<ProjectStore, 'bySlug' | 'byUuid'>): Authorize {
  return async (method, caller, { slug, hasRestoreToken }) => {
    const access = optionsOf(method).access!
    if (access.gateway) requireGateway(caller)
    if (!namesProject(method)) {
      admitToTeam(access, caller)
      return null
    }
    if (slug === '' && access.slugOptional) return null
    if (slug === '') throw new DomainError('invalid', 'slug is required.', { slug: ['is required'] })
    // Nobody learns which projects exist by asking for what is never open.
    if (!access.public && !access.gateway && !(access.restoreToken && hasRestoreToken)) requireKey(caller)

    const project = await find(slug, caller)
    if (!project) throw unknownProject()
    return { caller: admitToProject(access, caller, project, hasRestoreToken), project }
  }

  /** Older clients may send the uuid in place of the slug. */
  async function find(slug: string, caller: Caller): Promise<Project | null> {
    const project = await projects.bySlug(slug)
    if (project || !['v1', 'socket'].includes(caller.surface) || !uuidForm.test(slug)) return project
    return projects.byUuid(slug)
  }
}

interface AuthDeps {
  identify: Identify
  authorize: Authorize
}

/** RPCs without `access` are those of health and reflection, open to all: routes.ts sees to it that ours have one. */
export function createAuthCheck({ identify, authorize }: AuthDeps): Check {
  return async (request) => {
    const { access } = optionsOf(request.method)
    if (!access) return request
    const values = request.contextValues
    const caller = await identify(request.header, values.get(originKey), values.get(peerKey))
    values.set(callerKey, caller)

    if (!namesProject(request.method)) {
      await authorize(request.method, caller, { slug: '', hasRestoreToken: false })
      return request
    }
    const [message, whole] = request.stream
      ? await peekFirst(request).then(({ first, request }) => [first, request] as const)
      : ([request.message, request] as const)
    const { slug = '', restoreToken = '' } = (message ?? {}) as { slug?: string; restoreToken?: string }
    const hasRestoreToken = restoreToken !== ''
    values.set(admitKey, (project: Project) => admitToProject(access, caller, project, hasRestoreToken))
    const admitted = await authorize(request.method, caller, { slug, hasRestoreToken })
    if (admitted) {
      values.set(callerKey, admitted.caller)
      values.set(projectKey, admitted.project)
    }
    return whole
  }
}

function namesProject({ input }: DescMethod): boolean {
  return input.fields.some((field) => field.name === 'slug')
}

/** Waits for the first message, and answers it with a request whose stream still begins with it. */
async function peekFirst(
  request: StreamRequest,
): Promise<{ first: MessageShape<DescMessage> | undefined; request: StreamRequest }> {
  const messages = request.message[Symbol.asyncIterator]()
  const first = await messages.next()
  async function* all() {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => messages }
  }
  return { first: first.done ? undefined : first.value, request: { ...request, message: all() } }
}
