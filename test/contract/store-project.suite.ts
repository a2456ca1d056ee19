// The contract of projects.
import assert from 'node:assert/strict'
import {
  assertConflict,
  at,
  listing,
  project,
  publication,
  recrawl,
  type StoreCases,
  url,
  whole,
  withRun,
} from './store-case.ts'

export const projectCases: StoreCases = {
  async 'returns a project as written, by slug and by uuid'({ projects }) {
    const written = project('p1', { isPrivate: true })
    await projects.insert(written)
    assert.deepEqual(await projects.byUuid('p1'), written)
    assert.deepEqual(await projects.bySlug('slug-p1'), written)
    assert.equal(await projects.byUuid('p9'), null)
    assert.equal(await projects.bySlug('p1'), null)
  },
  async 'a slug is unique over all teams; writing the same project again changes nothing'({ projects }) {
    await projects.insert(project('p1'))
    await projects.insert(project('p1', { name: 'Other' }))
    assert.equal((await projects.byUuid('p1'))?.name, 'Project')
    await assertConflict(projects.insert(project('p2', { slug: 'slug-p1', team: 't2' })), 'slug')
    assert.equal(await projects.byUuid('p2'), null)
  },
  async 'lists projects by slug: of the team, of a scoped key, by page'({ projects }) {
    for (const n of [2, 1, 3]) await projects.insert(project(`p${n}`))
    await projects.insert(project('p4', { team: 't2' }))
    const uuids = async (only: string[] | null, page = whole) => {
      const { count, rows } = await projects.list('t1', only, page)
      return [count, ...rows.map((row) => row.uuid)]
    }
    assert.deepEqual(await uuids(null), [3, 'p1', 'p2', 'p3'])
    assert.deepEqual(await uuids(['p3', 'p1', 'p4']), [2, 'p1', 'p3'])
    assert.deepEqual(await uuids([]), [0])
    assert.deepEqual(await uuids(null, { offset: 1, limit: 1 }), [3, 'p2'])
  },
  async 'maps uuids of existing projects to slugs'({ projects }) {
    for (const n of [1, 2, 3]) await projects.insert(project(`p${n}`, { slug: `slug-${n}` }))
    await projects.delete('p2')
    const slugs = await projects.slugs(['p3', 'none', 'p2', 'p1'])
    assert.deepEqual(
      slugs,
      new Map([
        ['p1', 'slug-1'],
        ['p3', 'slug-3'],
      ]),
    )
    assert.deepEqual(await projects.slugs([]), new Map())
  },
  async 'lists all projects of every team, by uuid, with their settings'({ projects }) {
    const config = { ...project().config, sync: { schedule: '0 3 * * *' }, retentionDays: 30 }
    const written = [project('p1'), project('p2', { config }), project('p3', { team: 't2', config })]
    for (const one of written.toReversed()) await projects.insert(one)
    assert.deepEqual(await projects.all(), written)
  },
  async 'applies an update only to the revision before it, and keeps indexedAt'(store) {
    await withRun(store)
    await store.pages.publish('p1', null, [publication('a')])
    const changed = project('p1', { name: 'New', isPrivate: true, updatedAt: at(7), revision: 2 })
    assert.equal(await store.projects.update(changed), true)
    assert.equal(await store.projects.update({ ...changed, name: 'Late' }), false)
    assert.equal(await store.projects.update({ ...changed, revision: 4 }), false)
    assert.equal(await store.projects.update(project('p9', { revision: 2 })), false)
    assert.deepEqual(await store.projects.byUuid('p1'), { ...changed, indexedAt: at(2) })
  },
  async 'deletes a project with all of its data, and frees its slug'(store) {
    const fence = await withRun(store)
    await store.frontier.discover('r1', [listing('a')])
    await store.pages.publish('p1', fence, [publication('a')])
    await store.recrawls.insert(recrawl())
    await store.vocabulary.write('p1', new Uint8Array([1]))
    await store.analytics.record([
      {
        uuid: 'e1',
        project: 'p1',
        kind: 'search',
        at: at(1),
        query: 'q',
        url: null,
        name: null,
        number: 0,
      },
    ])
    assert.equal(await store.projects.delete('p1'), true)
    assert.equal(await store.projects.delete('p1'), false)
    assert.equal(await store.projects.byUuid('p1'), null)
    assert.deepEqual(await store.sources.all('p1'), [])
    assert.equal(await store.sources.get('p1', 's1'), null)
    assert.equal(await store.runs.get('p1', 'r1'), null)
    assert.deepEqual(await store.runs.live(), [])
    assert.deepEqual(await store.frontier.next('r1', 's1', 5), [])
    assert.equal(await store.frontier.discover('r1', [listing('b')]), 0)
    assert.equal(await store.pages.count('p1'), 0)
    assert.deepEqual(await store.pages.byUrls('p1', [url('a')]), [null])
    assert.deepEqual(await store.pages.byUuids(['page-a']), [null])
    assert.deepEqual(await store.pages.current(['page-a']), new Map())
    assert.equal(await store.pages.content('page-a'), null)
    assert.equal(await store.recrawls.get('p1', 'c1'), null)
    assert.deepEqual(await store.recrawls.live(), [])
    assert.equal(await store.vocabulary.version('p1'), 0)
    assert.deepEqual(await store.analytics.read('p1', { from: at(0), to: at(9) }, null, 5), [])
    assert.deepEqual(await store.pages.publish('p1', null, [publication('b')]), ['fenced'])
    await store.projects.insert(project('p2', { slug: 'slug-p1' }))
  },
}
