// One write of each kind that Lectern acknowledges, and what must exist afterwards.
import { expect } from 'vitest'
import { hashKey } from '../../../services/key/key-format.ts'
import { createNetworkKey } from '../../../services/limit/network-key.ts'
import type { Store } from '../../../services/store/store.ts'
import { file, sendForm } from '../../uploads/form-client.ts'
import { openChat } from '../gateway/chat-client.ts'
import type { LecternProcess } from '../lectern-process.ts'

export const slug = 'killed'
/** LECTERN_SECRET: rate limits are stored under a hash of the address. */
export const secret = Buffer.alloc(32, 11).toString('base64')

export interface Target {
  lectern: LecternProcess
  /** UUID of the project `slug`. */
  project: string
  team: string
  /** A project that is never crawled, for uploads. */
  uploads: { uuid: string; slug: string }
  /** Address of the page to recrawl. */
  page: string
  /** A different number for each write. */
  n: number
}

export interface Kept {
  store: Store
  /** Messages counted under the keys that contain `key`: the largest count. */
  countOf(key: string): Promise<number>
}

/** Checks that the acknowledged write exists completely; rejects otherwise. */
export interface Acknowledged {
  what: string
  check(kept: Kept): Promise<void>
}

/** Does one write and returns what was acknowledged; null if it was refused for an expected reason. */
export type Write = (target: Target) => Promise<Acknowledged>

export const path = `/api/v2/projects/${slug}/`
const whole = { offset: 0, limit: 10_000 }
/** How long a count is kept, from its first message. */
const windowMs = 60_000
const networkKey = createNetworkKey(secret)

export const startSync: Write = async ({ lectern, project }) => {
  const run = await post(lectern, `${path}sync/`, undefined, 202)
  return {
    what: `run ${run.uuid}`,
    check: async ({ store }) => expect(await store.runs.get(project, run.uuid)).not.toBeNull(),
  }
}

/** Failures of a run or a recrawl in the store are checked in the process that resumes it. */
export const writes: Record<string, Write> = {
  async project({ lectern, n }) {
    const [name, own] = [`Project ${n}`, `project-${n}`]
    const { uuid } = await post(lectern, '/api/v2/projects/', { name, slug: own }, 201)
    return {
      what: name,
      check: async ({ store }) =>
        expect(await store.projects.byUuid(uuid)).toMatchObject({ name, slug: own }),
    }
  },

  async source({ lectern, project, n }) {
    const url = `http://127.0.0.1:9/source${n}/`
    const body = { type: 'url', url, name: `Source ${n}` }
    const { uuid } = await post(lectern, `${path}sources/`, body, 201)
    return {
      what: url,
      check: async ({ store }) => expect(await store.sources.get(project, uuid)).toMatchObject(body),
    }
  },

  async key({ lectern, team, n }) {
    const body = { name: `Key ${n}`, permissions: ['chats_read'] }
    const { uuid, key } = await post(lectern, '/api/v2/keys/', body, 201)
    return {
      what: body.name,
      check: async ({ store }) =>
        expect(await store.keys.get(team, uuid)).toMatchObject({ ...body, hash: hashKey(key) }),
    }
  },

  /** Numbers grow, so a later one may have replaced it. */
  async config({ lectern, project, n }) {
    const body = { config: { chat: { initial_message: `${n}` } } }
    await expectStatus(lectern.call('PATCH', path, body), 200)
    return {
      what: `the change ${n} of the configuration`,
      async check({ store }) {
        const { config } = (await store.projects.byUuid(project))!
        expect(Number(config.chat.initialMessage)).toBeGreaterThanOrEqual(n)
      },
    }
  },

  async upload({ lectern, uploads, n }) {
    const name = `file-${n}.md`
    const { uuid } = await uploadFile(lectern, uploads.slug, name)
    return {
      what: name,
      async check({ store }) {
        const source = await store.sources.get(uploads.uuid, uuid)
        const bytes = await store.blobs.read(source!.options.blob!, 0, 1_000)
        expect(Buffer.from(bytes!).toString()).toBe(fileText(name))
      },
    }
  },

  async invitation({ lectern, team, n }) {
    const email = `invited-${n}@example.org`
    const { uuid } = await invite(lectern, email, 'viewer')
    return {
      what: `the invitation of ${email}`,
      async check({ store }) {
        const { rows } = await store.invitations.list(team, new Date().toISOString(), whole)
        expect(rows.find((row) => row.uuid === uuid)).toMatchObject({ email, role: 'viewer' })
      },
    }
  },

  async member({ lectern, team, n }) {
    const { uuid } = await join(lectern, `member-${n}@example.org`, `Member ${n}`)
    const body = { role: 'maintainer' }
    await expectStatus(lectern.call('PATCH', `/api/v2/team/members/${uuid}/`, body), 200)
    return {
      what: `the role of member ${n}`,
      async check({ store }) {
        expect(await store.members.get(team, uuid)).toMatchObject({ name: `Member ${n}`, ...body })
        const { rows } = await store.keys.list(team, whole)
        expect(rows.filter(({ memberUuid }) => memberUuid === uuid)).toHaveLength(1)
      },
    }
  },

  async recrawl({ lectern, project, page }) {
    const { uuid } = await post(lectern, `${path}recrawl/`, { url: page }, 202)
    return {
      what: `recrawl ${uuid}`,
      check: async ({ store }) =>
        expect(await store.recrawls.get(project, uuid)).toMatchObject({ url: page }),
    }
  },

  async chat({ lectern, n }) {
    const { chat, message, content } = await ask(lectern, n)
    return {
      what: `the answer to question ${n}`,
      async check({ store }) {
        expect(await store.chats.messages(chat)).toMatchObject([
          { role: 'user', content: question(n) },
          { role: 'assistant', uuid: message, content },
        ])
        expect(await store.chats.trace(message)).not.toBeNull()
      },
    }
  },

  async feedback({ lectern, n }) {
    const { message } = await ask(lectern, n)
    const body = { reaction: 1, comment: `Comment ${n}` }
    await post(lectern, `${path}messages/${message}/feedback/`, body, 200)
    return {
      what: `feedback ${n}`,
      check: async ({ store }) =>
        expect(await store.chats.message(message)).toMatchObject({ feedback: 1, comment: body.comment }),
    }
  },

  /** Uses a new address, because rejected messages count too. */
  async limit({ lectern, n }) {
    const address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    const socket = `${lectern.baseUrl.replace('http', 'ws')}/ws/messages/${slug}/`
    const chat = await openChat(socket, { 'x-forwarded-for': address })
    const counted = 3
    const kept = Date.now() + windowMs
    for (let sent = 0; sent < counted; sent++)
      expect(await chat.ask('{')).toMatchObject({ stopReason: 'invalid_message' })
    chat.close()
    return {
      what: `messages of ${address}`,
      async check({ countOf }) {
        if (Date.now() < kept) expect(await countOf(networkKey(address))).toBeGreaterThanOrEqual(counted)
      },
    }
  },

  async block({ lectern, n }) {
    const address = `11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
    const socket = `${lectern.baseUrl.replace('http', 'ws')}/ws/messages/${slug}/`
    const chat = await openChat(socket, { 'x-forwarded-for': address })
    for (let sent = 0; sent < 101; sent++) chat.send('{')
    expect(await chat.closed).toMatchObject({ code: 4429 })
    return {
      what: `the block of ${address}`,
      async check({ store }) {
        const until = await store.limits.blockedUntil(`network:${networkKey(address)}`)
        expect(until).toBeGreaterThan(Date.now())
      },
    }
  },
}

/** Its number is in the title, which is the beginning of the question. */
const question = (n: number) => `What does part 3 of page ${n % 40} tell?`

export async function ask(lectern: LecternProcess, n: number, more: object = {}) {
  const body = await post(lectern, `${path}chats/`, { message: question(n), ...more }, 201)
  const { messageId, message, stopReason } = body.ai_message
  expect(stopReason).toBe('stop')
  return { chat: body.chat_uuid as string, message: messageId as string, content: message as string }
}

/** Returns the source. */
export async function uploadFile(lectern: LecternProcess, project: string, name: string) {
  const { status, body } = await sendForm(lectern.baseUrl, `/api/v2/projects/${project}/sources/`, [
    ['files[]', file(name, fileText(name))],
  ])
  expect(status, JSON.stringify(body)).toBe(201)
  return body.results[0] as { uuid: string }
}

const fileText = (name: string) => `# ${name}\n\nWhat ${name} says.\n`

/** Returns the invitation with its token. */
export const invite = (lectern: LecternProcess, email: string, role: string) =>
  post(lectern, '/api/v2/team/invitations/', { email, role }, 201)

/** Returns the member that the invitation creates. */
export async function join(lectern: LecternProcess, email: string, name: string) {
  const { token } = await invite(lectern, email, 'editor')
  const { member } = await post(lectern, '/api/v2/team/invitations/accept/', { token, name }, 201)
  return member as { uuid: string }
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any endpoint
export async function post(lectern: LecternProcess, at: string, body: unknown, status: number): Promise<any> {
  return expectStatus(lectern.call('POST', at, body), status)
}

export async function expectStatus(answer: ReturnType<LecternProcess['call']>, status: number) {
  const { status: got, body } = await answer
  expect(got, JSON.stringify(body)).toBe(status)
  return body
}
