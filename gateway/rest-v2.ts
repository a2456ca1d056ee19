// The table of REST v2: one row per operation, grouped by noun. Readers and writers are in rest-row.ts.
// Paths are relative to `base`, so that tables of two versions can be compared line by line.
import { AnalyticsService } from '../gen/lectern/v1/analytics_pb.js'
import { ChatService } from '../gen/lectern/v1/chat_pb.js'
import { DocumentService } from '../gen/lectern/v1/document_pb.js'
import { KeyService } from '../gen/lectern/v1/key_pb.js'
import { OpenApiService } from '../gen/lectern/v1/openapi_pb.js'
import { PageService } from '../gen/lectern/v1/page_pb.js'
import { ProjectService } from '../gen/lectern/v1/project_pb.js'
import { RecrawlService } from '../gen/lectern/v1/recrawl_pb.js'
import { SearchService } from '../gen/lectern/v1/search_pb.js'
import { SourceService } from '../gen/lectern/v1/source_pb.js'
import { StatusService } from '../gen/lectern/v1/status_pb.js'
import { SyncService } from '../gen/lectern/v1/sync_pb.js'
import { TeamService } from '../gen/lectern/v1/team_pb.js'
import { uploadParts } from './form.ts'
import {
  countRefused,
  fromBody,
  fromContinuation,
  fromMessage,
  fromPatch,
  fromPath,
  fromQuery,
  fromSearch,
  isContinuation,
  knownChat,
  type RestRow,
  toAnswer,
  toConversation,
  toList,
  toNothing,
  toResults,
  toTurn,
  toUploaded,
} from './rest-row.ts'

const base = '/api/v2'

const project = ProjectService.method
const source = SourceService.method
const openApi = OpenApiService.method
const sync = SyncService.method
const recrawl = RecrawlService.method
const page = PageService.method
const search = SearchService.method
const document = DocumentService.method
const chat = ChatService.method
const analytics = AnalyticsService.method
const key = KeyService.method
const status = StatusService.method
const team = TeamService.method

// biome-ignore format: a table
const continuation: RestRow = { method: 'POST', path: '/projects/{slug}/chats/', call: chat.continueMessage, read: fromContinuation, write: toTurn, status: 200, hidden: ['progress'] }

// biome-ignore format: a table
const upload: RestRow = { method: 'POST', path: '/projects/{slug}/sources/', call: source.uploadSources, read: fromPath, write: toUploaded, status: 201, parts: uploadParts }

// biome-ignore format: a table
const rows: RestRow[] = [
  { method: 'GET', path: '/projects/', call: project.listProjects, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/projects/', call: project.createProject, read: fromBody, write: toAnswer, status: 201 },
  { method: 'GET', path: '/projects/{slug}/', call: project.getProject, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: '/projects/{slug}/', call: project.updateProject, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: '/projects/{slug}/', call: project.deleteProject, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: '/projects/{slug}/chat-actions/', call: project.setChatActions, read: fromBody, write: toAnswer, status: 200 },

  { method: 'GET', path: '/projects/{slug}/sources/', call: source.listSources, read: fromQuery, write: toList, status: 200, hidden: ['all'] },
  { method: 'POST', path: '/projects/{slug}/sources/', call: source.createSource, read: fromBody, write: toAnswer, status: 201, form: upload },
  { method: 'GET', path: '/projects/{slug}/sources/{source_uuid}/', call: source.getSource, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: '/projects/{slug}/sources/{source_uuid}/', call: source.updateSource, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: '/projects/{slug}/sources/{source_uuid}/', call: source.deleteSource, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: '/projects/{slug}/test-url/', call: source.testUrl, read: fromBody, write: toAnswer, status: 200 },
  { method: 'POST', path: '/openapi/validate/', call: openApi.validateOpenApi, read: fromBody, write: toAnswer, status: 200 },

  { method: 'GET', path: '/projects/{slug}/syncs/', call: sync.listSyncs, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/projects/{slug}/sync/', call: sync.startSync, read: fromBody, write: toAnswer, status: 202, hidden: ['unless_running'] },
  { method: 'GET', path: '/projects/{slug}/sync/', call: sync.getLatestSync, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/projects/{slug}/sync/{sync_uuid}/', call: sync.getSync, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: '/projects/{slug}/sync/{sync_uuid}/cancel/', call: sync.cancelSync, read: fromBody, write: toAnswer, status: 202 },
  { method: 'GET', path: '/projects/{slug}/sync/{sync_uuid}/watch/', call: sync.watchSync, read: fromQuery, write: toAnswer, status: 200, isStream: true },
  { method: 'GET', path: '/projects/{slug}/sync/{sync_uuid}/events/', call: sync.listSyncEvents, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/projects/{slug}/recrawl/', call: recrawl.startRecrawl, read: fromBody, write: toAnswer, status: 202 },
  { method: 'GET', path: '/projects/{slug}/recrawl/{recrawl_uuid}/', call: recrawl.getRecrawl, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/projects/{slug}/pages/', call: page.listPages, read: fromQuery, write: toList, status: 200 },
  { method: 'GET', path: '/projects/{slug}/pages/counts/', call: page.countPages, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: '/projects/{slug}/pages/match/', call: page.matchPages, read: fromBody, write: toAnswer, status: 200 },
  { method: 'GET', path: '/projects/{slug}/pages/lookup/', call: page.lookupPage, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/projects/{slug}/health/', call: page.listFindings, read: fromQuery, write: toList, status: 200 },

  { method: 'GET', path: '/projects/{slug}/search/', call: search.search, read: fromSearch, write: toResults, status: 200, hidden: ['uncounted'] },
  { method: 'GET', path: '/projects/{slug}/search/explain/', call: search.explainSearch, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: '/projects/{slug}/search/click/', call: search.reportClick, read: fromBody, write: toNothing, status: 200 },
  { method: 'GET', path: '/projects/{slug}/documents/{document_id}/', call: document.getDocument, read: fromQuery, write: toAnswer, status: 200 },

  { method: 'GET', path: '/projects/{slug}/chats/', call: chat.listChats, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/projects/{slug}/chats/', call: chat.sendMessage, read: fromMessage, write: toTurn, status: 201, also: knownChat, hidden: ['progress'], instead: { row: continuation, when: isContinuation }, whenRefused: countRefused },
  { method: 'DELETE', path: '/projects/{slug}/chats/', call: chat.deleteChatsByEmail, read: fromQuery, write: toNothing, status: 204 },
  { method: 'GET', path: '/projects/{slug}/chats/{chat_uuid}/', call: chat.getChat, read: fromQuery, write: toConversation, status: 200 },
  { method: 'DELETE', path: '/projects/{slug}/chats/{chat_uuid}/', call: chat.deleteChat, read: fromQuery, write: toNothing, status: 204 },
  { method: 'GET', path: '/projects/{slug}/messages/{message_uuid}/trace/', call: chat.getTrace, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: '/projects/{slug}/messages/{message_uuid}/feedback/', call: chat.submitFeedback, read: fromBody, write: toNothing, status: 200 },

  { method: 'GET', path: '/projects/{slug}/analytics/search/', call: analytics.getSearchAnalytics, read: fromQuery, write: toAnswer, status: 200, csv: true },
  { method: 'GET', path: '/projects/{slug}/analytics/chat/', call: analytics.getChatAnalytics, read: fromQuery, write: toAnswer, status: 200, csv: true },
  { method: 'GET', path: '/projects/{slug}/analytics/mcp/', call: analytics.getMcpAnalytics, read: fromQuery, write: toAnswer, status: 200, csv: true },
  { method: 'GET', path: '/projects/{slug}/analytics/insights/', call: analytics.getInsights, read: fromQuery, write: toAnswer, status: 200, csv: true },

  { method: 'GET', path: '/status/', call: status.getStatus, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/system/', call: status.getSystem, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/system/log/', call: status.getLog, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'GET', path: '/system/backup/', call: status.createBackup, read: fromQuery, write: toNothing, status: 200, file: 'lectern.archive' },

  { method: 'GET', path: '/keys/', call: key.listKeys, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/keys/', call: key.createKey, read: fromBody, write: toAnswer, status: 201 },
  { method: 'GET', path: '/keys/own/', call: key.getOwnKey, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'POST', path: '/keys/sign-in/', call: key.signIn, read: fromBody, write: toAnswer, status: 201 },
  { method: 'DELETE', path: '/keys/{key_uuid}/', call: key.deleteKey, read: fromQuery, write: toNothing, status: 204 },

  { method: 'POST', path: '/teams/', call: team.createTeam, read: fromBody, write: toAnswer, status: 201 },
  { method: 'GET', path: '/team/', call: team.getTeam, read: fromQuery, write: toAnswer, status: 200 },
  { method: 'PATCH', path: '/team/', call: team.updateTeam, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'GET', path: '/team/members/', call: team.listMembers, read: fromQuery, write: toList, status: 200 },
  { method: 'PATCH', path: '/team/members/{member_uuid}/', call: team.updateMember, read: fromPatch, write: toAnswer, status: 200 },
  { method: 'DELETE', path: '/team/members/{member_uuid}/', call: team.deleteMember, read: fromQuery, write: toNothing, status: 204 },
  { method: 'GET', path: '/team/invitations/', call: team.listInvitations, read: fromQuery, write: toList, status: 200 },
  { method: 'POST', path: '/team/invitations/', call: team.createInvitation, read: fromBody, write: toAnswer, status: 201 },
  { method: 'DELETE', path: '/team/invitations/{invitation_uuid}/', call: team.deleteInvitation, read: fromQuery, write: toNothing, status: 204 },
  { method: 'POST', path: '/team/invitations/accept/', call: team.acceptInvitation, read: fromBody, write: toAnswer, status: 201 },
]

export const restV2: RestRow[] = rows.map((row) => ({ ...row, path: base + row.path }))
