// Admits calls by the `access` option of their RPC, and puts caller and project into the context (decisions.md 4).
import type { Interceptor } from '@connectrpc/connect'
import { admitKey, type Caller, callerKey, peerKey, projectKey } from '../context.ts'
import { DomainError } from '../errors.ts'
import type { Project, ProjectStore } from '../store/project.ts'
import { admitToProject, admitToTeam, requireKey, unknownProject } from './admit.ts'
import { peekFirst } from './first-message.ts'
import { optionsOf } from './method-options.ts'

export interface AuthDeps {
  identify(header: Headers, peer: string): Promise<Caller>
  projects: Pick<ProjectStore, 'bySlug' | 'byUuid'>
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** RPCs without `access` are those of health and reflection, open to all: routes.ts sees to it that ours have one. */
export function createAuthInterceptor({ identify, projects }: AuthDeps): Interceptor {
  return (next) => async (request) => {
    const { access } = optionsOf(request.method)
    if (!access) return next(request)
    const values = request.contextValues
    const caller = await identify(request.header, values.get(peerKey))
    values.set(callerKey, caller)

    if (!request.method.input.fields.some((field) => field.name === 'slug')) {
      admitToTeam(access, caller)
      return next(request)
    }

    const [message, admitted] = request.stream
      ? await peekFirst(request).then(({ first, request }) => [first, request] as const)
      : ([request.message, request] as const)
    const { slug = '', restoreToken = '' } = (message ?? {}) as { slug?: string; restoreToken?: string }
    const admit = (project: Project) => admitToProject(access, caller, project, restoreToken !== '')
    values.set(admitKey, admit)
    if (slug === '' && access.slugOptional) return next(admitted)
    if (slug === '') throw new DomainError('invalid', 'slug is required.', { slug: ['is required'] })
    // Nobody learns which projects exist by asking for what is never open.
    if (!access.public && !access.gateway && !(access.restoreToken && restoreToken)) requireKey(caller)

    const project = await find(slug, caller)
    if (!project) throw unknownProject()
    values.set(callerKey, admit(project))
    values.set(projectKey, project)
    return next(admitted)
  }

  /** Older clients may send the uuid in place of the slug (decisions.md section 7). */
  async function find(slug: string, caller: Caller): Promise<Project | null> {
    const project = await projects.bySlug(slug)
    if (project || !['v1', 'socket'].includes(caller.surface) || !uuidForm.test(slug)) return project
    return projects.byUuid(slug)
  }
}
