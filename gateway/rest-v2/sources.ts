// REST v2: sources and the validation of API descriptions.
import { OpenApiService } from '../../gen/lectern/v1/openapi_pb.js'
import { SourceService } from '../../gen/lectern/v1/source_pb.js'
import { checkType } from '../json/body.ts'
import { Refusal } from '../refusal.ts'
import { fromBody, fromPatch, fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toList, toNothing } from '../rest-write.ts'

const { createSource, getSource, listSources, updateSource, deleteSource } = SourceService.method
const { validateOpenApi } = OpenApiService.method
const all = '/api/v2/projects/{slug}/sources/'
const one = '/api/v2/projects/{slug}/sources/{source_uuid}/'
const validate = '/api/v2/openapi/validate/'

/** Uploads arrive as forms. */
const checkSourceType: typeof checkType = (type, encoding) => {
  if (type.toLowerCase().startsWith('multipart/form-data')) {
    throw new Refusal('unimplemented', 'This version of Lectern does not take uploads yet.')
  }
  checkType(type, encoding)
}

// biome-ignore format: a table
export const sourceRows: Row[] = [
  { method: 'GET', path: all, call: listSources, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: all, call: createSource, read: fromBody, write: toAnswer, status: 201, checkType: checkSourceType },
  { method: 'GET', path: one, call: getSource, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: one, call: updateSource, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: one, call: deleteSource, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: validate, call: validateOpenApi, read: fromBody, write: toAnswer, status: 200 },
]
