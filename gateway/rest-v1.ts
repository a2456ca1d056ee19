// The table of REST v1, for integrations and widgets of before v2: the same rows in the same order as in rest-v2.ts, as
// far as v1 had them, so that the difference between the two files is the difference between the two versions.
// Readers and writers of v1 alone are in rest-v1-read.ts and rest-v1-write.ts.
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { readPastedQuery } from './query.ts'
import { countRefused, knownChat } from './rest-chat.ts'
import { fromKnown, fromPath, fromQuery } from './rest-read.ts'
import type { Row } from './rest-row.ts'
import { uploadParts } from './rest-upload.ts'
import { forbidUnknown, fromOldMessage } from './rest-v1-read.ts'
import {
  toAdded,
  toDeleted,
  toNames,
  toOldConversation,
  toOldResults,
  toOldTurn,
  toSettings,
  toStarted,
} from './rest-v1-write.ts'
import { toNothing } from './rest-write.ts'

const base = '/api/v1'

const project = ProjectService.method
const source = SourceService.method
const sync = SyncService.method
const search = SearchService.method
const chat = ChatService.method

// biome-ignore format: a table
const rows: Row[] = [
  { method: 'GET', path: '/projects/{slug}/', call: project.getProject, read: fromQuery, write: toSettings, status: 200 },

  { method: 'GET', path: '/projects/{slug}/sources/', call: source.listSources, read: fromPath, write: toNames, status: 200, fixed: { all: true }, hidden: ['limit', 'offset'] },
  { method: 'POST', path: '/projects/{slug}/sources/', call: source.uploadSources, read: fromPath, write: toAdded, status: 200, parts: { ...uploadParts, 'urls[]': 'urls', 'sitemaps[]': 'sitemaps' }, ignoresUnknown: true },
  { method: 'DELETE', path: '/projects/{slug}/sources/{source_uuid}/', call: source.deleteSource, read: fromQuery, write: toDeleted, status: 200 },

  { method: 'POST', path: '/projects/{slug}/sources/sync/', call: sync.startSync, read: fromKnown, write: toStarted, status: 200, fixed: { unlessRunning: true }, hidden: ['trigger'] },

  { method: 'GET', path: '/projects/{slug}/search/', call: search.search, read: fromQuery, write: toOldResults, status: 200, readQuery: readPastedQuery, hidden: ['uncounted', 'version', 'language', 'fields'] },
  { method: 'POST', path: '/projects/{slug}/search/click/', call: search.reportClick, read: fromKnown, write: toNothing, status: 200, hidden: ['query', 'url', 'position'] },

  { method: 'POST', path: '/chats/', call: chat.sendMessage, read: fromOldMessage, write: toOldTurn, status: 201, also: knownChat, projectInBody: true, renamed: { project_slug: 'slug' }, hidden: ['progress', 'retrieval_mode', 'version', 'language'], whenRefused: countRefused, whenFailed: forbidUnknown },
  { method: 'GET', path: '/chats/{chat_uuid}/', call: chat.getChat, read: fromPath, write: toOldConversation, status: 200, fixed: { limit: 100 }, hidden: ['slug', 'limit', 'offset'], whenFailed: forbidUnknown },
  { method: 'POST', path: '/messages/{message_uuid}/feedback/', call: chat.submitFeedback, read: fromKnown, write: toNothing, status: 200, hidden: ['slug'] },
]

export const restV1: Row[] = rows.map((row) => ({ ...row, path: base + row.path }))
