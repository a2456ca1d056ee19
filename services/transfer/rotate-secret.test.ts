// A new LECTERN_SECRET keeps credentials readable, wherever the first attempt stopped.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { at, project, source } from '../../test/contract/store-case.ts'
import { createFolder } from '../../test/folder.ts'
import { readConfig } from '../config.ts'
import { openSecret } from '../data/data-folder.ts'
import { openStore } from '../drivers.ts'
import { createCredentialKeeper } from '../source/credentials.ts'
import type { Store } from '../store/store.ts'
import { rotateSecret } from './transfer.ts'

let data: string
beforeEach(async () => {
  data = createFolder()
})

const keeperOf = async () => createCredentialKeeper(await openSecret(data, null))

async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({ data, mongodb: null }, 'work')
  return work(store).finally(() => store.close())
}

async function fill() {
  const keeper = await keeperOf()
  const credentials = (uuid: string) => keeper.seal(uuid, { token: `of ${uuid}` })
  await withStore(async ({ teams, projects, sources }) => {
    await teams.insert({ uuid: 't1', name: 'Team', createdAt: at(0) })
    for (const uuid of ['p1', 'p2']) await projects.insert(project(uuid))
    await sources.insert(source('s1', { credentials: credentials('s1') }))
    await sources.insert(source('s2', { project: 'p2', credentials: credentials('s2') }))
    await sources.insert(source('open'))
    await sources.insert(source('lost', { name: 'Lost', credentials: 'v1.AAAA' }))
  })
}

async function opened() {
  const keeper = await keeperOf()
  const sealed = await withStore(async ({ sources }) => [
    ...(await sources.all('p1')),
    ...(await sources.all('p2')),
  ])
  return Object.fromEntries(
    sealed.map(({ uuid, credentials }) => [uuid, credentials && keeper.open(uuid, credentials)]),
  )
}

const all = { s1: { token: 'of s1' }, s2: { token: 'of s2' }, open: null, lost: null }

test('replaces the secret in the data folder, and keeps credentials readable', async () => {
  await fill()
  const before = await readFile(join(data, 'secret'), 'utf8')
  expect(await rotateSecret(readConfig({ LECTERN_DATA: data }))).toEqual({ sources: 2, lost: ['Lost'] })
  expect(await readFile(join(data, 'secret'), 'utf8')).not.toBe(before)
  expect((await stat(join(data, 'secret'))).mode & 0o777).toBe(0o600)
  expect(await readdir(data)).not.toContain('secret.next')
  expect(await opened()).toEqual(all)
})

test('replaces a configured secret with the given one, also when repeated', async () => {
  await fill()
  const old = (await openSecret(data, null)).toString('base64')
  const next = Buffer.alloc(32, 9).toString('base64')
  const environment = { LECTERN_DATA: data, LECTERN_SECRET: old }
  await expect(rotateSecret(readConfig(environment))).rejects.toThrow('LECTERN_NEW_SECRET')
  for (let times = 0; times < 2; times++) {
    const config = readConfig({ ...environment, LECTERN_NEW_SECRET: next })
    expect(await rotateSecret(config)).toEqual({ sources: 2, lost: ['Lost'] })
  }
  const keeper = createCredentialKeeper(Buffer.from(next, 'base64'))
  const sealed = await withStore(({ sources }) => sources.get('p1', 's1'))
  expect(keeper.open('s1', sealed!.credentials!)).toEqual({ token: 'of s1' })
})
