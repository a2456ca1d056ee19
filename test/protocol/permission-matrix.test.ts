// Who may do what: every operation, by every kind of caller, on projects public and private, own and foreign, over
// Connect and over REST. The expected results follow from the table of operations and the few rules of `expected`.
import { create, type DescMethod, type DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { afterAll, describe, expect, it } from 'vitest'
import type { RestRow } from '../../gateway/rest-row.ts'
import { restV1 } from '../../gateway/rest-v1.ts'
import { restV2 } from '../../gateway/rest-v2.ts'
import { permissions } from '../../services/permissions.ts'
import { type Implementation, services } from '../../services/routes.ts'
import { createInMemoryTransport } from '../../services/server/in-memory-transport.ts'
import { openTestGateway } from '../e2e/gateway/lectern-gateway.ts'
import { addKey, projects, store } from './core.ts'

/** RPCs on a project: the permission, and whether a public project is open to all. */
const onProject: Record<string, [string, 'open'?]> = {
  'ProjectService.getProject': ['projects_read', 'open'],
  'ProjectService.updateProject': ['projects_update'],
  'ProjectService.deleteProject': ['projects_delete'],
  'ProjectService.getWidgetConfig': ['search', 'open'],
  'ProjectService.getAnswerSetup': ['projects_read'],
  'ProjectService.setChatActions': ['projects_update'],
  'SourceService.createSource': ['sources_create'],
  'SourceService.getSource': ['sources_read'],
  'SourceService.listSources': ['sources_read'],
  'SourceService.updateSource': ['sources_create'],
  'SourceService.deleteSource': ['sources_delete'],
  'SourceService.uploadSources': ['sources_create'],
  'SourceService.testUrl': ['sources_create'],
  'SyncService.startSync': ['sync_create'],
  'SyncService.cancelSync': ['sync_create'],
  'SyncService.getSync': ['sync_read'],
  'SyncService.getLatestSync': ['sync_read'],
  'SyncService.listSyncs': ['sync_read'],
  'SyncService.listSyncEvents': ['sync_read'],
  'SyncService.watchSync': ['sync_read'],
  'RecrawlService.startRecrawl': ['sync_create'],
  'RecrawlService.getRecrawl': ['sync_read'],
  'PageService.listPages': ['sync_read'],
  'PageService.lookupPage': ['sync_read'],
  'PageService.countPages': ['sync_read'],
  'PageService.listFindings': ['sync_read'],
  'PageService.matchPages': ['sources_create'],
  'SearchService.search': ['search', 'open'],
  'SearchService.explainSearch': ['search'],
  'SearchService.reportClick': ['search', 'open'],
  'DocumentService.getDocument': ['search', 'open'],
  'DocumentService.getPage': ['search', 'open'],
  'ChatService.sendMessage': ['chats_create', 'open'],
  'ChatService.continueMessage': ['chats_create', 'open'],
  'ChatService.listChats': ['chats_read'],
  'ChatService.getChat': ['chats_read'],
  'ChatService.getTrace': ['chats_read'],
  'ChatService.deleteChat': ['chats_delete'],
  'ChatService.deleteChatsByEmail': ['chats_delete'],
  'ChatService.submitFeedback': ['chats_create', 'open'],
  'AnalyticsService.getSearchAnalytics': ['analytics_read'],
  'AnalyticsService.getChatAnalytics': ['analytics_read'],
  'AnalyticsService.getMcpAnalytics': ['analytics_read'],
  'AnalyticsService.getInsights': ['analytics_read'],
}

/** RPCs without a project: the permission; `admin`: the admin key only; `any`: any valid key; `all`: no key needed. */
const onTeam: Record<string, string> = {
  'ProjectService.createProject': 'projects_create',
  'ProjectService.listProjects': 'projects_read',
  'StatusService.getStatus': 'projects_read',
  'StatusService.getSystem': 'team_read',
  'StatusService.getLog': 'admin',
  'StatusService.createBackup': 'admin',
  'KeyService.createKey': 'keys_create',
  'KeyService.listKeys': 'keys_read',
  'KeyService.deleteKey': 'keys_delete',
  'KeyService.getOwnKey': 'any',
  'KeyService.createSignInLink': 'keys_create',
  'KeyService.signIn': 'all',
  'OpenApiService.validateOpenApi': 'sources_create',
  'TeamService.getTeam': 'team_read',
  'TeamService.updateTeam': 'team_update',
  'TeamService.listMembers': 'team_read',
  'TeamService.updateMember': 'team_update',
  'TeamService.deleteMember': 'team_update',
  'TeamService.listInvitations': 'team_read',
  'TeamService.createInvitation': 'team_update',
  'TeamService.deleteInvitation': 'team_update',
  'TeamService.acceptInvitation': 'all',
  'TeamService.createTeam': 'admin',
}

/** For the gateway only, which signs its calls. */
const ofGateway =
  /^(AdmissionService|LimitService|McpService|ProjectService\.getFirstProject|StatusService\.reportGateway)/

type Outcome = 'admitted' | 'unauthenticated' | 'permission_denied' | 'not_found'

interface Caller {
  /** Whether the key is valid. */
  good: boolean
  team: 'red' | 'blue'
  holds: 'all' | 'all but it' | 'it'
  /** Slugs; null: all of the team. */
  scope: string[] | null
  admin?: boolean
}

const { public: open, private: closed, foreign, foreignPublic } = projects

const callers: Record<string, Caller> = {
  nobody: { good: false, team: 'red', holds: 'all', scope: null },
  'a key that is unknown': { good: false, team: 'red', holds: 'all', scope: null },
  'the admin key': { good: true, team: 'red', holds: 'all', scope: null, admin: true },
  'a key with this permission alone': { good: true, team: 'red', holds: 'it', scope: null },
  'a key with all permissions but this': { good: true, team: 'red', holds: 'all but it', scope: null },
  'a key scoped to both projects': { good: true, team: 'red', holds: 'all', scope: [open.slug, closed.slug] },
  'a key scoped to the other project': { good: true, team: 'red', holds: 'all', scope: [] },
  'another team’s key': { good: true, team: 'blue', holds: 'all', scope: null },
}

const all = [open, closed, foreign, foreignPublic]

function expected(caller: Caller, slug: string, [, isOpen]: [string, 'open'?]): Outcome {
  const { isPrivate, team } = all.find((project) => project.slug === slug)!
  if (isOpen && !isPrivate) return 'admitted'
  if (!caller.good) return 'unauthenticated'
  if (caller.team !== team) return 'not_found'
  const mayHere = caller.scope === null || caller.scope.includes(slug)
  return caller.holds !== 'all but it' && mayHere ? 'admitted' : 'permission_denied'
}

function expectedOfTeam(caller: Caller, permission: string): Outcome {
  if (permission === 'all') return 'admitted'
  if (!caller.good) return 'unauthenticated'
  if (permission === 'any') return 'admitted'
  if (permission === 'admin') return caller.admin ? 'admitted' : 'permission_denied'
  const isOfTeam = permission.startsWith('team_')
  const isHeld = caller.holds !== 'all but it' && !(isOfTeam && caller.scope !== null)
  return isHeld ? 'admitted' : 'permission_denied'
}

const nameOf = ({ parent, localName }: DescMethod) => `${parent.name}.${localName}`
const methods = new Map(
  services.flatMap((service) => service.methods).map((method) => [nameOf(method), method]),
)

/** Does nothing for any request: callers who arrive here were authorized. */
const implementation = Object.fromEntries(
  services.map((service) => {
    const handlers = service.methods.map(({ localName, methodKind }) => [
      localName,
      methodKind === 'server_streaming' ? async function* () {} : async () => ({}),
    ])
    return [nounOf(service), Object.fromEntries(handlers)]
  }),
) as Implementation

/** Services by their names in the implementation. */
function nounOf({ name }: DescService): keyof Implementation {
  const nouns: Record<string, keyof Implementation> = {
    ProjectService: 'projects',
    SourceService: 'sources',
    SyncService: 'sync',
    RecrawlService: 'recrawl',
    PageService: 'pages',
    SearchService: 'search',
    DocumentService: 'documents',
    ChatService: 'chat',
    AnalyticsService: 'analytics',
    StatusService: 'status',
    TeamService: 'team',
    KeyService: 'keys',
    OpenApiService: 'openapi',
    McpService: 'mcp',
    LimitService: 'limits',
    AdmissionService: 'admission',
  }
  return nouns[name]!
}

const keyTexts = new Map<string, Promise<string>>()
const gateway = await openTestGateway({}, { store, implementation })
afterAll(() => gateway.close())

/** The header of a caller with, or without, the permission. */
async function headersOf(name: string, permission: string, slug: string): Promise<Record<string, string>> {
  const { good, team, holds, scope, admin } = callers[name]!
  if (name === 'nobody') return { authorization: '' }
  if (admin) return { authorization: gateway.authorization }
  const held = permissions.filter((each) => holds === 'all' || (each === permission) === (holds === 'it'))
  const inScope =
    scope?.length === 0 ? [slug === open.slug ? closed.uuid : open.uuid] : [open.uuid, closed.uuid]
  const given = { team, permissions: held, projects: scope && inScope }
  const id = JSON.stringify(given)
  if (!keyTexts.has(id)) keyTexts.set(id, addKey(given))
  const text = await keyTexts.get(id)!
  return { authorization: `Api-Key ${good ? text : text.replace(/.{36}$/, '0'.repeat(36))}` }
}

const refusals: Partial<Record<Code, Outcome>> = {
  [Code.Unauthenticated]: 'unauthenticated',
  [Code.PermissionDenied]: 'permission_denied',
  [Code.NotFound]: 'not_found',
}

async function callConnect(
  method: DescMethod,
  slug: string,
  headers: Record<string, string>,
): Promise<Outcome> {
  const client = createClient(method.parent, createInMemoryTransport(gateway.core)) as unknown as Record<
    string,
    (request: unknown, options: object) => unknown
  >
  const request = create(method.input, slug ? { slug } : {})
  async function* once() {
    yield request
  }
  try {
    const sent = method.methodKind === 'client_streaming' ? once() : request
    const answer = client[method.localName]!(sent, { headers })
    if (method.methodKind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>);
    else await answer
    return 'admitted'
  } catch (error) {
    // A request that is rejected for its content was authorized.
    return refusals[ConnectError.from(error).code] ?? 'admitted'
  }
}

const byStatus: Record<'v1' | 'v2', Record<number, Outcome>> = {
  v2: { 401: 'unauthenticated', 403: 'permission_denied', 404: 'not_found' },
  v1: { 403: 'permission_denied', 404: 'not_found' },
}

async function callRest(row: RestRow, slug: string, headers: Record<string, string>): Promise<Outcome> {
  const version = row.path.startsWith('/api/v1/') ? 'v1' : 'v2'
  const path = row.path.replace('{slug}', slug).replace(/\{\w+\}/g, 'none')
  const body = ['POST', 'PATCH'].includes(row.method) && !row.parts ? {} : undefined
  const { status } = await gateway.ask(row.method, path, body, headers)
  return byStatus[version][status] ?? 'admitted'
}

/** v1 does not distinguish a missing key from one without permission. */
function inV1(outcome: Outcome): Outcome {
  return outcome === 'unauthenticated' ? 'permission_denied' : outcome
}

it('names every RPC of the contract', () => {
  const named = [...Object.keys(onProject), ...Object.keys(onTeam)]
  expect([...methods.keys()].filter((name) => !ofGateway.test(name)).sort()).toEqual(named.sort())
})

it('rejects the gateway’s RPCs without its signature, with or without a project', async () => {
  for (const [rpc, method] of methods) {
    if (!ofGateway.test(rpc) || rpc === 'McpService.getMcpServer') continue
    for (const slug of ['', open.slug]) {
      for (const headers of [{}, { authorization: gateway.authorization }]) {
        expect([rpc, slug, await callConnect(method, slug, headers)]).toEqual([
          rpc,
          slug,
          'permission_denied',
        ])
      }
    }
  }
})

describe.each(Object.keys(callers))('%s', (name) => {
  const caller = callers[name]!

  it('over Connect', async () => {
    for (const [rpc, access] of Object.entries(onProject)) {
      for (const { slug } of all) {
        const headers = await headersOf(name, access[0], slug)
        const outcome = await callConnect(methods.get(rpc)!, slug, headers)
        expect([rpc, slug, outcome]).toEqual([rpc, slug, expected(caller, slug, access)])
      }
    }
    for (const [rpc, permission] of Object.entries(onTeam)) {
      const headers = await headersOf(name, permission, open.slug)
      const outcome = await callConnect(methods.get(rpc)!, '', headers)
      expect([rpc, outcome]).toEqual([rpc, expectedOfTeam(caller, permission)])
    }
  })

  it('over REST', async () => {
    for (const row of [...restV2, ...restV1]) {
      const rpc = nameOf(row.call)
      const what = `${row.method} ${row.path}`
      const toExpected = row.path.startsWith('/api/v1/') ? inV1 : (outcome: Outcome) => outcome
      if (onTeam[rpc] !== undefined) {
        const outcome = await callRest(row, '', await headersOf(name, onTeam[rpc], open.slug))
        expect([what, outcome]).toEqual([what, toExpected(expectedOfTeam(caller, onTeam[rpc]))])
        continue
      }
      // The chat or the message identifies the project there; the store decides.
      if (!row.path.includes('{slug}')) continue
      for (const { slug } of all) {
        const access = onProject[rpc]!
        const outcome = await callRest(row, slug, await headersOf(name, access[0], slug))
        expect([what, slug, outcome]).toEqual([what, slug, toExpected(expected(caller, slug, access))])
      }
    }
  })
})
