import { ProjectService } from '../../gen/lectern/v1/project_pb.js'
import { fromBody, fromPatch, fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toList, toNothing } from '../rest-write.ts'

const { createProject, getProject, listProjects, updateProject, deleteProject } = ProjectService.method
const all = '/api/v2/projects/'
const one = '/api/v2/projects/{slug}/'

// biome-ignore format: a table
export const projectRows: Row[] = [
  { method: 'GET', path: all, call: listProjects, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: all, call: createProject, read: fromBody, write: toAnswer, status: 201 },
  { method: 'GET', path: one, call: getProject, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: one, call: updateProject, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: one, call: deleteProject, read: fromQuery, write: toNothing, status: 204 },
]
