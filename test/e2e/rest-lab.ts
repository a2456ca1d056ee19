// A gateway in front of some real services and an in-memory store with one team. Nothing is crawled.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Implementation } from '../../services/routes.ts'
import type { Runs } from '../../services/runs/runs.ts'
import { openSqliteStore } from '../../services/store/sqlite/sqlite-store.ts'
import type { Store } from '../../services/store/store.ts'
import { openTestGateway, type TestGateway } from './gateway/lectern-gateway.ts'

const done = async () => {}

const idleRuns: Runs = {
  startSync: done,
  stopSync: done,
  startRecrawl: done,
  schedule: done,
  dropProject: done,
  sweep: done,
  ping: done,
  close: done,
}

interface RestDeps {
  store: Store
  /** UUID of the team. */
  team: string
  now: () => Date
  newUuid: () => string
  /** Does nothing. */
  runs: Runs
}

export interface RestLab extends RestDeps {
  gateway: TestGateway
  /** Status and body at the path below /api/v2/; with the admin key by default, another key, or none (''). */
  ask(
    ...request: [
      method: string,
      path: string,
      body?: unknown,
      key?: string | undefined,
      more?: Record<string, string>,
    ]
    // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of bodies
  ): Promise<{ status: number; body: any }>
  /** Creates a project; resolves with its slug. */
  makeProject(given: object): Promise<string>
  close(): Promise<void>
}

export async function openRestLab(
  implement: (deps: RestDeps) => Implementation | Promise<Implementation>,
): Promise<RestLab> {
  const store = await openSqliteStore(':memory:')
  const deps = { store, team: randomUUID(), now: () => new Date(), newUuid: randomUUID, runs: idleRuns }
  await store.teams.insert({ uuid: deps.team, name: 'Red', createdAt: new Date().toISOString() })
  const gateway = await openTestGateway({}, { store, implementation: await implement(deps) })
  const ask: RestLab['ask'] = async (method, path, body, key, more) => {
    const headers = { ...(key !== undefined && { authorization: key && `Api-Key ${key}` }), ...more }
    const answer = await gateway.ask(method, `/api/v2/${path}`, body, headers)
    const text = await answer.text()
    return { status: answer.status, body: text && JSON.parse(text) }
  }
  return {
    ...deps,
    gateway,
    ask,
    async makeProject(given) {
      const { status, body } = await ask('POST', 'projects/', given)
      expect(status, JSON.stringify(body)).toBe(201)
      return body.slug
    },
    async close() {
      await gateway.close()
      await store.close()
    },
  }
}
