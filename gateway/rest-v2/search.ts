// REST v2: search, clicks, documents.
import { DocumentService } from '../../gen/lectern/v1/document_pb.js'
import { SearchService } from '../../gen/lectern/v1/search_pb.js'
import { fromBody, fromQuery, fromSearch } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toNothing, toResults } from '../rest-write.ts'

const { search, reportClick } = SearchService.method
const { getDocument } = DocumentService.method
const query = '/api/v2/projects/{slug}/search/'
const click = '/api/v2/projects/{slug}/search/click/'
const document = '/api/v2/projects/{slug}/documents/{document_id}/'

// biome-ignore format: a table
export const searchRows: Row[] = [
  { method: 'GET', path: query, call: search, read: fromSearch, write: toResults, status: 200, hidden: ['uncounted'] },
  { method: 'POST', path: click, call: reportClick, read: fromBody, write: toNothing, status: 200 },
  { method: 'GET', path: document, call: getDocument, read: fromQuery, write: toAnswer, status: 200 },
]
