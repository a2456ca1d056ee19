// What a data folder contains beyond acknowledged writes: each row is complete or absent.
import { expect } from 'vitest'
import { openStore } from '../../../services/drivers.ts'
import type { Store } from '../../../services/store/store.ts'
import type { Kept } from './writes.ts'

const whole = { offset: 0, limit: 10_000 }

export async function openKept(data: string): Promise<Kept> {
  const store = await openStore({ data })
  return {
    store,
    async countOf(key) {
      const windows = await store.limits.busiest('', 0, 10_000)
      return Math.max(0, ...windows.filter((window) => window.key.includes(key)).map(({ count }) => count))
    },
  }
}

/** Includes unacknowledged writes. */
export async function checkWhole(store: Store, { project, team }: { project: string; team: string }) {
  const { rows: projects } = await store.projects.list(team, null, whole)
  for (const { name, slug } of projects) {
    if (slug.startsWith('project-')) expect(name).toBe(slug.replace('project-', 'Project '))
  }
  for (const { type, name, url } of await store.sources.all(project)) {
    if (type === 'url') expect(url).toBe(`http://127.0.0.1:9/${name.replace('Source ', 'source')}/`)
  }
  for (const { name, hash } of (await store.keys.list(team, whole)).rows) {
    // Every start creates a link to the console.
    expect(name).toMatch(/^((Key|Member) \d+|Console link)$/)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
  }
  for (const { uuid, messageCount } of (await store.chats.list(project, whole)).rows) {
    const messages = await store.chats.messages(uuid)
    expect(messages.map(({ position, role }) => [position, role])).toEqual(
      [
        [0, 'user'],
        [1, 'assistant'],
      ].slice(0, messages.length),
    )
    expect(messageCount).toBe(messages.length)
    if (messages[1]) expect(await store.chats.trace(messages[1].uuid)).not.toBeNull()
  }
}
