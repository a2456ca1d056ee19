import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { type Caller, callerKey, createStranger, projectKey } from '../services/context.ts'
import type { Project } from '../services/store/project.ts'

const origin = { surface: 'v2', address: '', origin: null, connection: null } as const

/** The context of a handler that is called without a server. The caller is of team t1 and has no key, except for these changes. */
export function toHandlerContext({ project, caller }: { project?: Project; caller?: Partial<Caller> }) {
  const values = createContextValues()
  if (project) values.set(projectKey, project)
  if (caller) values.set(callerKey, { ...createStranger(origin, true), team: 't1', ...caller })
  return { values, signal: new AbortController().signal } as HandlerContext
}
