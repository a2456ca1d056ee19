// How broken rules read: the name of the field and a phrase, with the names of the caller's JSON.
import { create, type DescMethodUnary, type Message } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { CreateKeyRequestSchema, KeyService } from '../../gen/lectern/v1/key_pb.js'
import { RunTrigger, StartSyncRequestSchema, SyncService } from '../../gen/lectern/v1/sync_pb.js'
import { CreateInvitationRequestSchema, MemberRole, TeamService } from '../../gen/lectern/v1/team_pb.js'
import { createValidate } from './validate.ts'

const cases: [sentence: string, method: DescMethodUnary, message: Message][] = [
  [
    'trigger must be one of api, console, cli.',
    SyncService.method.startSync,
    create(StartSyncRequestSchema, { slug: 'red', trigger: RunTrigger.SCHEDULE }),
  ],
  [
    'permissions[0] must be one of projects_create, projects_read, projects_update, projects_delete; search; ' +
      'sources_read, sources_create, sources_delete; sync_create, sync_read; chats_create, chats_read, chats_delete; ' +
      'analytics_read; team_read, team_update; keys_read, keys_create, keys_delete; project_read, project_search, ' +
      'project_sources_read, project_sources_create, project_sources_delete, project_sync; chat_create.',
    KeyService.method.createKey,
    create(CreateKeyRequestSchema, { name: 'a', permissions: ['all'] }),
  ],
  [
    'projects must not name the same thing twice.',
    KeyService.method.createKey,
    create(CreateKeyRequestSchema, {
      name: 'a',
      permissions: ['search'],
      projects: { slugs: ['red', 'red'] },
    }),
  ],
  [
    'email must be a valid email address.',
    TeamService.method.createInvitation,
    create(CreateInvitationRequestSchema, { email: 'nobody', role: MemberRole.VIEWER }),
  ],
  [
    'email is required.',
    TeamService.method.createInvitation,
    create(CreateInvitationRequestSchema, { role: MemberRole.VIEWER }),
  ],
]

test.each(cases)('%s', (sentence, method, message) => {
  expect(() => createValidate()(method, message)).toThrow(sentence)
})
