// A core with all of its interceptors whose search and turn answer at once, so that only the transport remains.
import { StopReason } from '../../../gen/lectern/v1/turn_pb.js'
import { createCallerVerifier } from '../../../services/guard/identify.ts'
import { type Core, type CoreDeps, createCore } from '../../../services/server/core.ts'
import type { Project } from '../../../services/store/project.ts'

/** Readers without a key are limited. */
export const adminKey = 'an-admin-key-for-the-bench'

export const secret = Buffer.alloc(32, 3).toString('base64')

const project = { slug: 'open', uuid: 'p', team: 't', isPrivate: false } as Project

const store = {
  projects: { bySlug: async () => project, byUuid: async () => project },
  keys: { byHash: async () => null, touch: async () => {} },
  teams: { first: async () => ({ uuid: 't' }), get: async () => null },
} as unknown as CoreDeps['store']

/** As many results, and as long ones, as on a real page. */
const results = Array.from({ length: 10 }, (_, at) => ({
  title: `asyncio.create_subprocess_exec number ${at}`,
  pageTitle: 'Subprocesses — Python 3.11 documentation',
  url: `https://docs.example.org/library/asyncio-subprocess.html#asyncio.create_subprocess_exec-${at}`,
  fragment:
    'Create a subprocess. The limit argument sets the buffer limit for the StreamReader wrappers. '.repeat(3),
  score: 1 / (at + 1),
  documentId: `document-${at}`,
  content:
    'Create a subprocess. See also the documentation of loop.subprocess_exec() for other parameters. '.repeat(
      4,
    ),
}))

export function createHopCore(): Core {
  return createCore(
    {
      store,
      log: { error: (what) => console.error(what) },
      now: () => new Date(),
      adminKey,
      readOrigin: createCallerVerifier(secret, () => new Date()),
    },
    {
      search: { search: () => ({ results }) },
      chat: {
        async *sendMessage() {
          yield {
            event: {
              event: { case: 'token', value: { slug: 'open', chatUuid: 'c', messageId: 'm', text: 'A' } },
            },
          }
          const aiMessage = { message: 'A', messageId: 'm', stopReason: StopReason.STOP }
          yield { event: { event: { case: 'final', value: { slug: 'open', chatUuid: 'c', aiMessage } } } }
        },
      },
    },
  )
}
