// The contract of sources.
import assert from 'node:assert/strict'
import {
  assertConflict,
  at,
  project,
  publication,
  type StoreCases,
  source,
  url,
  withProject,
} from './store-case.ts'

export const sourceCases: StoreCases = {
  async 'adds up uploads by team, over all of its projects'({ projects, sources }) {
    const uploaded = (size: number) => ({ options: { blob: `b${size}`, size } })
    await projects.insert(project('p1'))
    await projects.insert(project('p2'))
    await projects.insert(project('p3', { team: 't2' }))
    assert.equal(await sources.uploadedSize('t1'), 0)
    await sources.insert(source('s1', uploaded(3_000_000_000)))
    await sources.insert(source('s2', { project: 'p2', ...uploaded(2_000_000_000) }))
    await sources.insert(source('s3', { project: 'p3', team: 't2', ...uploaded(7) }))
    await sources.insert(source('s4', { project: 'p2' }))
    assert.equal(await sources.uploadedSize('t1'), 5_000_000_000)
    assert.equal(await sources.uploadedSize('t2'), 7)
  },
  async 'returns a source as written, only in its project'({ projects, sources }) {
    await projects.insert(project('p1'))
    await projects.insert(project('p2'))
    const options = { branch: 'main', baseUrl: url('site') }
    const written = source('s1', { maxPages: 5, options, credentials: 'sealed', lastError: 'Away.' })
    await sources.insert(written)
    await sources.insert({ ...written, name: 'Other' })
    assert.deepEqual(await sources.get('p1', 's1'), written)
    assert.equal(await sources.get('p2', 's1'), null)
    assert.equal(await sources.get('p1', 's9'), null)
  },
  async 'allows one source per type and identity in a project'({ projects, sources }) {
    await projects.insert(project('p1'))
    await projects.insert(project('p2'))
    await sources.insert(source('s1'))
    await assertConflict(sources.insert(source('s2', { identity: url('s1') })), 'url')
    assert.equal(await sources.get('p1', 's2'), null)
    await sources.insert(source('s5', { url: url('s1'), identity: 'other' }))
    await sources.insert(source('s6', { url: '', identity: 's6' }))
    assert.equal((await sources.get('p1', 's6'))?.url, '')
    const moved = source('s5', { identity: url('s1'), revision: 2 })
    await assertConflict(sources.update(moved).then(String), 'url')
    assert.equal((await sources.get('p1', 's5'))?.revision, 1)
    await sources.insert(source('s3', { url: url('s1'), type: 'url' }))
    await sources.insert(source('s4', { url: url('s1'), project: 'p2' }))
  },
  async 'lists sources oldest first, by project'({ projects, sources }) {
    await projects.insert(project('p1'))
    await projects.insert(project('p2'))
    for (const n of [2, 1, 3]) await sources.insert(source(`s${n}`, { createdAt: at(n) }))
    await sources.insert(source('other', { project: 'p2' }))
    const uuids = (rows: { uuid: string }[]) => rows.map((row) => row.uuid)
    assert.deepEqual(uuids(await sources.all('p1')), ['s1', 's2', 's3'])
  },
  async 'applies an update only to the revision before it; a crawl does not change the revision'(store) {
    await withProject(store)
    await store.sources.crawled('s1', at(5), url('moved'), null)
    await store.sources.crawled('s1', at(4), url('old'), null)
    const changed = source('s1', {
      ...{ name: 'New', include: [], exclude: ['x'], maxDepth: null, revision: 2 },
      ...{ identity: 'new', options: { branch: 'next' }, credentials: 'sealed' },
    })
    assert.equal(await store.sources.update(changed), true)
    assert.equal(await store.sources.update({ ...changed, name: 'Late' }), false)
    assert.equal(await store.sources.update(source('s9', { revision: 2 })), false)
    assert.deepEqual(await store.sources.get('p1', 's1'), {
      ...changed,
      state: 'ok',
      lastCrawledAt: at(5),
      resolvedUrl: url('moved'),
    })
  },
  async 'recording a moved start is not a crawl'(store) {
    await withProject(store)
    await store.sources.moved('s1', url('moved'))
    assert.deepEqual(await store.sources.get('p1', 's1'), source('s1', { resolvedUrl: url('moved') }))
    await store.sources.crawled('s1', at(5), null, null)
    await store.sources.moved('s1', url('on'))
    await store.sources.moved('s9', url('on'))
    const after = await store.sources.get('p1', 's1')
    assert.deepEqual(after, source('s1', { resolvedUrl: url('on'), state: 'ok', lastCrawledAt: at(5) }))
  },
  async 'a source that could not be read is failed with the reason until it is read again'(store) {
    await withProject(store)
    assert.equal((await store.sources.get('p1', 's1'))?.state, 'pending')
    await store.sources.crawled('s1', at(5), null, null)
    await store.sources.failed('s1', 'It does not answer.')
    await store.sources.failed('s9', 'It does not answer.')
    const failed = { state: 'failed', lastCrawledAt: at(5), lastError: 'It does not answer.' } as const
    assert.deepEqual(await store.sources.get('p1', 's1'), source('s1', failed))
    const inPart = { state: 'ok', lastCrawledAt: at(6), lastError: 'Half of it.' } as const
    await store.sources.crawled('s1', at(6), null, 'Half of it.')
    assert.deepEqual(await store.sources.get('p1', 's1'), source('s1', inPart))
    await store.sources.crawled('s1', at(7), null, null)
    const read = { state: 'ok', lastCrawledAt: at(7) } as const
    assert.deepEqual(await store.sources.get('p1', 's1'), source('s1', read))
  },
  async 'counts pages by source; a page of two sources counts for both'(store) {
    await withProject(store)
    assert.deepEqual(await store.sources.pageCounts('p1'), new Map())
    await store.pages.publish('p1', null, [
      publication('a'),
      publication('b', { sources: ['s1', 's2'] }),
      publication('c', { sources: [], pinned: true }),
    ])
    assert.deepEqual(
      await store.sources.pageCounts('p1'),
      new Map([
        ['s1', 2],
        ['s2', 1],
      ]),
    )
    await store.pages.remove('p1', null, ['page-a', 'page-b'])
    assert.deepEqual(await store.sources.pageCounts('p1'), new Map())
  },
  async 'a deleted source deletes pages that only it lists, except pinned ones, and queues their units'(
    store,
  ) {
    await withProject(store)
    await store.pages.publish('p1', null, [
      publication('alone'),
      publication('shared', { sources: ['s1', 's2'] }),
      publication('pinned', { pinned: true }),
      publication('other', { sources: ['s2'] }),
    ])
    assert.equal(await store.sources.delete('p9', 's1'), false)
    assert.equal(await store.sources.delete('p1', 's1'), true)
    assert.equal(await store.sources.delete('p1', 's1'), false)
    const pages = await store.pages.byUrls('p1', ['alone', 'shared', 'pinned', 'other'].map(url))
    assert.deepEqual(
      pages.map((page) => page?.sources ?? null),
      [null, ['s2'], [], ['s2']],
    )
    assert.equal(await store.pages.count('p1'), 3)
    assert.deepEqual(await store.pages.swept('p1', 9), [{ page: 'page-alone', version: 10 }])
    assert.equal(await store.sources.get('p1', 's1'), null)
  },
  async 'deletes the pages of two sources deleted at the same time'(store) {
    await withProject(store)
    // More pages than one step deletes, before the page of the other source.
    const paths = Array.from({ length: 201 }, (_, n) => `a${n}`)
    const ofSecond = paths.map((path) => publication(path, { sources: ['s2'] }))
    await store.pages.publish('p1', null, [...ofSecond, publication('b')])
    const deleted = await Promise.all(['s1', 's2'].map((each) => store.sources.delete('p1', each)))
    assert.deepEqual(deleted, [true, true])
    assert.equal(await store.pages.count('p1'), 0)
    assert.equal((await store.pages.swept('p1', 999)).length, 202)
  },
  async 'omits a deleted source from later publications'(store) {
    await withProject(store)
    await store.sources.delete('p1', 's1')
    await store.pages.publish('p1', null, [publication('a', { sources: ['s1', 's2'] })])
    assert.deepEqual((await store.pages.byUrls('p1', [url('a')]))[0]?.sources, ['s2'])
  },
}
