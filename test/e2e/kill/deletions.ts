// One deletion of each kind that Lectern acknowledges: deleted data does not reappear.
import { expect } from 'vitest'
import { ask, expectStatus, invite, join, path, post, uploadFile, type Write } from './writes.ts'

export const deletions: Record<string, Write> = {
  async chat({ lectern, project, n }) {
    const { chat, message } = await ask(lectern, n)
    await expectStatus(lectern.call('DELETE', `${path}chats/${chat}/`), 204)
    return {
      what: `the deletion of chat ${n}`,
      async check({ store }) {
        expect(await store.chats.get(chat)).toBeNull()
        expect(await store.chats.message(message)).toBeNull()
        const { rows } = await store.chats.list(project, { offset: 0, limit: 10_000 })
        expect(rows.map(({ uuid }) => uuid)).not.toContain(chat)
      },
    }
  },

  async person({ lectern, n }) {
    const email = `reader-${n}@example.org`
    const chats = [await ask(lectern, n, { email }), await ask(lectern, n, { email })]
    await expectStatus(lectern.call('DELETE', `${path}chats/?email=${encodeURIComponent(email)}`), 204)
    return {
      what: `the erasure of ${email}`,
      async check({ store }) {
        for (const { chat } of chats) expect(await store.chats.get(chat)).toBeNull()
      },
    }
  },

  async key({ lectern, team, n }) {
    const body = { name: `Key ${n}`, permissions: ['search'] }
    const { uuid } = await post(lectern, '/api/v2/keys/', body, 201)
    await expectStatus(lectern.call('DELETE', `/api/v2/keys/${uuid}/`), 204)
    return {
      what: `the deletion of key ${n}`,
      check: async ({ store }) => expect(await store.keys.get(team, uuid)).toBeNull(),
    }
  },

  /** Includes its uploaded files. */
  async source({ lectern, uploads, n }) {
    const { uuid } = await uploadFile(lectern, uploads.slug, `gone-${n}.md`)
    await expectStatus(lectern.call('DELETE', `/api/v2/projects/${uploads.slug}/sources/${uuid}/`), 204)
    return {
      what: `the deletion of file ${n}`,
      async check({ store }) {
        expect(await store.sources.get(uploads.uuid, uuid)).toBeNull()
        const rows = await store.sources.all(uploads.uuid)
        expect(rows.map(({ name }) => name)).not.toContain(`gone-${n}.md`)
      },
    }
  },

  async project({ lectern, n }) {
    const own = `deleted-${n}`
    const { uuid } = await post(lectern, '/api/v2/projects/', { name: own, slug: own }, 201)
    const url = `http://127.0.0.1:9/deleted${n}/`
    const source = await post(lectern, `/api/v2/projects/${own}/sources/`, { type: 'url', url }, 201)
    await expectStatus(lectern.call('DELETE', `/api/v2/projects/${own}/`), 204)
    return {
      what: `the deletion of project ${own}`,
      async check({ store }) {
        expect(await store.projects.byUuid(uuid)).toBeNull()
        expect(await store.sources.get(uuid, source.uuid)).toBeNull()
      },
    }
  },

  async member({ lectern, team, n }) {
    const { uuid } = await invite(lectern, `gone-${n}@example.org`, 'viewer')
    await expectStatus(lectern.call('DELETE', `/api/v2/team/invitations/${uuid}/`), 204)
    const joined = await join(lectern, `left-${n}@example.org`, `Member ${n}`)
    await expectStatus(lectern.call('DELETE', `/api/v2/team/members/${joined.uuid}/`), 204)
    return {
      what: `the removal of member ${n}`,
      async check({ store }) {
        expect(await store.members.get(team, joined.uuid)).toBeNull()
        const { rows } = await store.keys.list(team, { offset: 0, limit: 10_000 })
        expect(rows.map(({ memberUuid }) => memberUuid)).not.toContain(joined.uuid)
        const open = await store.invitations.list(team, new Date().toISOString(), {
          offset: 0,
          limit: 10_000,
        })
        expect(open.rows.map((row) => row.uuid)).not.toContain(uuid)
      },
    }
  },
}
