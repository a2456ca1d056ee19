// REST v2: sync runs and recrawls.
import { RecrawlService } from '../../gen/lectern/v1/recrawl_pb.js'
import { SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { fromBody, fromQuery } from '../rest-read.ts'
import type { Row } from '../rest-row.ts'
import { toAnswer, toList } from '../rest-write.ts'

const { startSync, cancelSync, getSync, getLatestSync, listSyncs, listSyncEvents } = SyncService.method
const { startRecrawl, getRecrawl } = RecrawlService.method
const all = '/api/v2/projects/{slug}/syncs/'
const latest = '/api/v2/projects/{slug}/sync/'
const one = '/api/v2/projects/{slug}/sync/{sync_uuid}/'
const cancel = '/api/v2/projects/{slug}/sync/{sync_uuid}/cancel/'
const events = '/api/v2/projects/{slug}/sync/{sync_uuid}/events/'
const recrawl = '/api/v2/projects/{slug}/recrawl/'
const outcome = '/api/v2/projects/{slug}/recrawl/{recrawl_uuid}/'

// biome-ignore format: a table
export const syncRows: Row[] = [
  { method: 'GET', path: all, call: listSyncs, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: latest, call: startSync, read: fromBody, write: toAnswer, status: 202, hidden: ['unless_running'] },
  { method: 'GET', path: latest, call: getLatestSync, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: one, call: getSync, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: cancel, call: cancelSync, read: fromBody, write: toAnswer, status: 202 },
  { method: 'GET', path: events, call: listSyncEvents, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: recrawl, call: startRecrawl, read: fromBody, write: toAnswer, status: 202 },
  { method: 'GET', path: outcome, call: getRecrawl, read: fromQuery, write: toAnswer, status: 200 },
]
