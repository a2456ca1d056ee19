// The contract of pages: publishing and reading.
import assert from 'node:assert/strict'
import { at, content, page, publication, type StoreCases, url, withProject, withRun } from './store-case.ts'

export const pageCases: StoreCases = {
  async 'returns a published page as written, with its text'(store) {
    const fence = await withRun(store)
    const written = page('a', { etag: '"e"', lastModified: 'then', language: 'en', docVersion: '3.1' })
    assert.deepEqual(await store.pages.publish('p1', fence, [{ page: written, content: content('ä 漢') }]), [
      'published',
    ])
    assert.deepEqual(await store.pages.byUrls('p1', [url('x'), url('a')]), [null, written])
    assert.deepEqual(await store.pages.byUuids(['page-a', 'page-x']), [written, null])
    assert.deepEqual(await store.pages.content('page-a'), content('ä 漢'))
    assert.equal(await store.pages.content('page-x'), null)
    assert.deepEqual(await store.pages.current(['page-a', 'page-x']), new Map([['page-a', 10]]))
    assert.equal(await store.pages.count('p1'), 1)
    assert.deepEqual(await store.pages.byUrls('p2', [url('a')]), [null])
  },
  async 'lists the languages of the pages, unique and sorted, without other projects and removed pages'(
    store,
  ) {
    const fence = await withRun(store)
    assert.deepEqual(await store.pages.languages('p1'), [])
    const languages = { a: 'pt-BR', b: 'en', c: 'en', d: null, e: 'fr' }
    const written = Object.entries(languages).map(([name, language]) => publication(name, { language }))
    await store.pages.publish('p1', fence, written)
    assert.deepEqual(await store.pages.languages('p1'), ['en', 'fr', 'pt-BR'])
    await store.pages.remove('p1', fence, ['page-e'])
    assert.deepEqual(await store.pages.languages('p1'), ['en', 'pt-BR'])
    assert.deepEqual(await store.pages.languages('p2'), [])
  },
  async 'the first publication, by a run or a recrawl, sets indexedAt; later ones keep it'(store) {
    await withProject(store)
    assert.equal((await store.projects.byUuid('p1'))?.indexedAt, null)
    await store.pages.publish('p1', null, [publication('a', { fetchedAt: at(3) })])
    await store.pages.publish('p1', null, [publication('b', { fetchedAt: at(7) })])
    assert.equal((await store.projects.byUuid('p1'))?.indexedAt, at(3))
  },
  async 'a publication replaces the version before, and queues it for the sweep'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [publication('a')])
    const next = publication('a', { version: 25, fetchedAt: at(3), title: 'New', contentHash: 'h2' })
    assert.deepEqual(await store.pages.publish('p1', fence, [next]), ['published'])
    assert.deepEqual(await store.pages.byUuids(['page-a']), [next.page])
    assert.deepEqual(await store.pages.content('page-a'), next.content)
    assert.deepEqual(await store.pages.current(['page-a']), new Map([['page-a', 25]]))
    assert.deepEqual(await store.pages.swept('p1', 9), [{ page: 'page-a', version: 10 }])
  },
  async 'keeps a page that was fetched later; results are in order'(store) {
    const fence = await withRun(store)
    const first = publication('a', { version: 20, fetchedAt: at(5) })
    await store.pages.publish('p1', fence, [first])
    assert.deepEqual(
      await store.pages.publish('p1', fence, [
        publication('a', { version: 32, fetchedAt: at(4) }),
        publication('b'),
        publication('a', { version: 19, fetchedAt: at(5) }),
      ]),
      ['stale', 'published', 'stale'],
    )
    assert.deepEqual(await store.pages.byUuids(['page-a']), [first.page])
    assert.deepEqual(await store.pages.content('page-a'), first.content)
    assert.deepEqual(await store.pages.swept('p1', 9), [])
  },
  async 'of a recrawl and a run, the page fetched later wins'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [publication('a')])
    const byRecrawl = publication('a', { version: 21, fetchedAt: at(6) })
    const byRun = publication('a', { version: 20, fetchedAt: at(5) })
    assert.deepEqual(await store.pages.publish('p1', null, [byRecrawl]), ['published'])
    assert.deepEqual(await store.pages.publish('p1', fence, [byRun]), ['stale'])
    assert.deepEqual(await store.pages.current(['page-a']), new Map([['page-a', 21]]))
  },
  async 'reports a repeated publication as published, and as stale after a newer one'(store) {
    const fence = await withRun(store)
    const first = publication('a')
    await store.pages.publish('p1', fence, [first])
    assert.deepEqual(await store.pages.publish('p1', fence, [first]), ['published'])
    const next = publication('a', { version: 20 })
    assert.deepEqual(await store.pages.publish('p1', fence, [next, next, first]), [
      'published',
      'published',
      'stale',
    ])
    assert.deepEqual(await store.pages.swept('p1', 9), [{ page: 'page-a', version: 10 }])
    assert.equal(await store.pages.count('p1'), 1)
  },
  async 'adds sources, and keeps a page pinned'(store) {
    await withProject(store)
    await store.pages.publish('p1', null, [publication('a', { sources: ['s2'], pinned: true })])
    await store.pages.publish('p1', null, [publication('a', { sources: ['s1'], version: 20 })])
    const [stored] = await store.pages.byUuids(['page-a'])
    assert.deepEqual(stored?.sources, ['s1', 's2'])
    assert.equal(stored?.pinned, true)
  },
  async 'publishes nothing with a wrong fence or for a deleted project'(store) {
    const fence = await withRun(store)
    for (const wrong of [fence + 1, fence - 1])
      assert.deepEqual(await store.pages.publish('p1', wrong, [publication('a')]), ['fenced'])
    assert.deepEqual(await store.pages.publish('p9', null, [publication('a'), publication('b')]), [
      'fenced',
      'fenced',
    ])
    assert.equal(await store.pages.count('p1'), 0)
  },
  async '`seen` adds the source and moves time forward only'(store) {
    const fence = await withRun(store)
    await store.pages.publish('p1', fence, [publication('a', { etag: 'one', lastModified: 'm' })])
    for (const minute of [8, 9, 7])
      await store.pages.seen('p1', fence, [
        { uuid: 'page-a', sources: ['s2'], fetchedAt: at(minute) },
        { uuid: 'page-x', sources: ['s2'], fetchedAt: at(minute) },
      ])
    const [stored] = await store.pages.byUuids(['page-a'])
    assert.deepEqual(
      stored,
      page('a', { sources: ['s1', 's2'], fetchedAt: at(9), etag: 'one', lastModified: 'm' }),
    )
    assert.equal(await store.pages.count('p1'), 1)
  },
  async 'finds pages by content hash'(store) {
    await withProject(store)
    await store.pages.publish('p1', null, [
      publication('a', { contentHash: 'same' }),
      publication('b', { contentHash: 'same' }),
      publication('c'),
    ])
    const found = await store.pages.byContentHashes('p1', ['same', 'none'])
    assert.deepEqual(found.map((row) => row.uuid).sort(), ['page-a', 'page-b'])
    assert.deepEqual(await store.pages.byContentHashes('p2', ['same']), [])
  },
  async 'scans all pages by uuid'(store) {
    await withProject(store)
    await store.pages.publish(
      'p1',
      null,
      ['b', 'a', 'c'].map((path) => publication(path)),
    )
    const uuids = async (after: string | null, limit: number) =>
      (await store.pages.scan('p1', after, limit)).map((row) => row.uuid)
    assert.deepEqual(await uuids(null, 2), ['page-a', 'page-b'])
    assert.deepEqual(await uuids('page-b', 2), ['page-c'])
    assert.deepEqual(await uuids('page-c', 2), [])
  },
  async 'lists the first pages of a folder, without those of subfolders'(store) {
    const fence = await withRun(store)
    const written = ['b/2', 'a', 'b/1', 'b/3', 'b/c/1', 'b'].map((path) => publication(path))
    await store.pages.publish('p1', fence, written)
    const urls = async (folder: string, limit: number) =>
      (await store.pages.inFolder('p1', folder, limit)).map((page) => page.url)
    assert.deepEqual(await urls(url('b/'), 2), [url('b/1'), url('b/2')])
    assert.deepEqual(await urls(url('b/'), 9), [url('b/1'), url('b/2'), url('b/3')])
    assert.deepEqual(await urls(url(''), 9), [url('a'), url('b')])
    assert.deepEqual(await urls(url('c/'), 9), [])
    assert.deepEqual(await store.pages.inFolder('p9', url('b/'), 9), [])
  },
  async 'lists replaced and removed versions for the sweep, oldest first, until they are forgotten'(store) {
    await withProject(store)
    await store.pages.publish('p1', null, [publication('b'), publication('a')])
    await store.pages.publish('p1', null, [publication('b', { version: 20 })])
    await store.pages.remove('p1', null, ['page-a'])
    await store.pages.publish('p1', null, [publication('b', { version: 30 })])
    const [first, second, third] = await store.pages.swept('p1', 9)
    assert.deepEqual(
      [first, second, third],
      [
        { page: 'page-b', version: 10 },
        { page: 'page-a', version: 10 },
        { page: 'page-b', version: 20 },
      ],
    )
    assert.equal((await store.pages.swept('p1', 1)).length, 1)
    await store.pages.forget('p2', [second!])
    await store.pages.forget('p1', [first!, third!])
    await store.pages.forget('p1', [first!])
    assert.deepEqual(await store.pages.swept('p1', 9), [second])
  },
}
