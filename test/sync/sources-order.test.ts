// A page that two sources list is read once, and its links are the same whichever source comes first.
import { beforeEach, expect, test } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import { type Lab, openLab } from './lab.ts'

let lab: Lab
beforeEach(async () => {
  lab = await openLab()
})

test.each([['site'], ['url']])(
  'links of a page that is gone are not followed, even if the %s was read first',
  async (first) => {
    lab.site.pages.set('/', htmlPage('Start', 'The start.', ['/chapter.html', '/a.html', '/b.html']))
    for (const name of ['a', 'b']) lab.site.pages.set(`/${name}.html`, htmlPage(name, `Page ${name}.`))
    lab.site.pages.set('/chapter.html', htmlPage('Chapter', 'A chapter.', ['/part.html']))
    lab.site.pages.set('/part.html', htmlPage('Part', 'A part.'))
    const add = {
      site: () => lab.addSource({ name: 'all', createdAt: first === 'site' ? early : late }),
      url: () =>
        lab.addSource({
          name: 'chapter',
          type: 'url',
          url: `${lab.site.url}chapter.html`,
          createdAt: first === 'url' ? early : late,
        }),
    }
    await add.site()
    await add.url()
    await lab.sync()
    expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html', '/chapter.html', '/part.html'])
    lab.site.pages.delete('/chapter.html')
    await lab.sync()
    expect(await lab.indexedPaths()).toEqual(['/', '/a.html', '/b.html'])
    const states = (await lab.store.sources.all(lab.project)).map(({ name, state }) => [name, state])
    expect(Object.fromEntries(states)).toEqual({ all: 'ok', chapter: 'failed' })
  },
)

const early = '2026-01-01T00:00:00.000Z'
const late = '2026-01-02T00:00:00.000Z'
