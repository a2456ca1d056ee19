import { create } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GetProjectRequestSchema } from '../../gen/lectern/v1/project_pb.js'
import { project } from '../../test/contract/store-case.ts'
import { toHandlerContext } from '../../test/handler-context.ts'
import type { EmbeddingProgress } from '../embedding/embedding.ts'
import type { Runs } from '../runs/runs.ts'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { createProjectService } from './project-service.ts'

let store: Store
beforeEach(async () => {
  store = await openSqliteStore(':memory:')
})
afterEach(() => store.close())

/** Reads a project `times` times with this progress. Returns its embedding and the number of look-ups. */
async function read(progress: EmbeddingProgress | null, times = 1) {
  let looks = 0
  const embedding = {
    async progress() {
      looks += 1
      return progress
    },
  }
  const deps = { store, runs: {} as Runs, now: () => new Date(), newUuid: () => 'u', embedding }
  const { getProject } = createProjectService(deps)
  const context = toHandlerContext({ project: project() })
  const request = create(GetProjectRequestSchema, { slug: 'p' })
  for (let n = 1; n < times; n++) await getProject(request, context)
  const answer = await getProject(request, context)
  return { embedding: answer.project!.embedding, looks }
}

const whole = { model: 'm', total: 10, done: 9, refused: 1 }

test('a project reports how many sections are embedded while some are waiting', async () => {
  expect((await read({ ...whole, done: 7 })).embedding).toMatchObject({ total: 10, done: 7, refused: 1 })
  expect((await read(whole)).embedding).toBeNull()
  expect((await read(null)).embedding).toBeNull()
})

test('many reads at once cause one look-up', async () => {
  expect((await read(whole, 50)).looks).toBe(1)
})
