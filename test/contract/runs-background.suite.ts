// Background work of the runs port: recrawls, schedules, and cleanup of the index.
import { expect } from 'vitest'
import { htmlPage } from '../e2e/site.ts'
import type { RunsCases } from './runs-lab.ts'

export const runsBackgroundCases: RunsCases = {
  async 'a recrawl reads one page again and reports whether it changed'(lab) {
    lab.writePages(['a.html', 'b.html'])
    await lab.sync()
    expect(await lab.outcome(await lab.recrawl('/a.html'))).toMatchObject({
      status: 'unchanged',
      reason: null,
    })
    lab.writePages(['a.html', 'b.html'], 'New words of')
    expect(await lab.outcome(await lab.recrawl('/a.html'))).toMatchObject({
      status: 'indexed',
      reason: null,
    })
    expect(await lab.textOf('/a.html')).toContain('New words of a.html.')
    expect(await lab.textOf('/b.html')).toContain('"Words of b.html.')
  },
  async 'a recrawl that indexes nothing reports the reason'(lab) {
    lab.writePages(['old/a.html'])
    lab.site.pages.set('/empty.html', '<title>Empty</title>')
    lab.site.pages.set('/copy.html', lab.site.pages.get('/')!)
    lab.site.pages.set('/fails.html', (_, response) => void response.writeHead(500).end())
    lab.site.pages.set('/noindex.html', '<meta name=robots content=noindex><p>Words.')
    lab.site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /secret.html')
    await lab.sync()
    const anySentence = expect.stringMatching(/\.$/)
    for (const [path, reason, detail, message] of [
      ['/none.html', 'unfetchable', 'gone', 'The server answered 404.'],
      ['/empty.html', 'no_content', 'no_content', 'It has no text to index.'],
      ['/old/a.html', 'excluded', 'excluded', 'The include and exclude globs of its source exclude it.'],
      ['/copy.html', 'duplicate', 'duplicate', `It has the same text as ${lab.site.url}`],
      ['/fails.html', 'unfetchable', 'http_5xx', 'The server answered 500.'],
      ['/secret.html', 'excluded', 'robots', anySentence],
      ['/noindex.html', 'excluded', 'noindex', anySentence],
    ] as const) {
      const outcome = { status: 'dropped', reason, detail, message }
      expect(await lab.outcome(await lab.recrawl(path))).toMatchObject(outcome)
    }
  },
  async 'a recrawl works during a run, and the version fetched later remains'(lab) {
    lab.writePages(['a.html', 'b.html'])
    await lab.sync()
    lab.writePages(['a.html', 'b.html'], 'New words of')
    // The run reads /a.html before the recrawl does, and writes it afterwards.
    const [first, held] = [lab.hold('/a.html', 'Older words.'), lab.hold('/b.html')]
    const live = await lab.begin()
    await Promise.all([first.asked, held.asked])
    first.release()
    const recrawl = await lab.recrawl('/a.html')
    expect((await lab.outcome(recrawl)).status).toBe('indexed')
    expect((await lab.runOf(live)).status).toBe('running')
    held.release()
    expect(await lab.ended(live)).toMatchObject({ status: 'completed', pages: { pending: 0 } })
    expect(await lab.textOf('/a.html')).toContain('New words of a.html.')
  },
  async 'dropping a project stops its run and deletes its units'(lab) {
    lab.writePages(['a.html', 'b.html'])
    await lab.sync()
    const held = lab.hold('/b.html')
    await lab.begin()
    await held.asked
    await lab.store.projects.delete(lab.project)
    await lab.runs.dropProject(lab.project)
    await held.dropped
    await lab.until('the index is gone', async () => !(await lab.index.projects()).includes(lab.project))
  },
  async 'a sweep deletes the units of a deleted source and no others'(lab) {
    lab.writePages(['a.html', 'b.html'])
    await lab.sync()
    const other = await lab.beside()
    other.writePages(['a.html'])
    await other.sync()
    const [source] = await lab.store.sources.all(lab.project)
    await lab.store.sources.delete(lab.project, source!.uuid)
    await lab.runs.sweep(lab.project)
    await lab.until('the units are gone', async () => (await lab.versions()).length === 0)
    expect(await other.versions()).toHaveLength(2)
  },
  async 'a schedule starts a run at its time in UTC'(lab) {
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin.'))
    await lab.setSchedule('30 4 * * *')
    expect((await lab.comeDue())!.toISOString()).toContain('T04:30:00.000Z')
    expect(await lab.scheduledRun()).toMatchObject({ status: 'completed', pages: { added: 1 } })
  },
  async 'a schedule with day of month and day of week matches either'(lab) {
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin.'))
    await lab.setSchedule('0 3 1 * 1')
    const before = Date.now()
    const due = (await lab.comeDue())!
    expect(due.toISOString()).toContain('T03:00:00.000Z')
    expect(due.getTime() - before).toBeLessThan(8 * 24 * 3_600_000)
    await lab.scheduledRun()
  },
  async 'a schedule can be changed and removed'(lab) {
    lab.site.pages.set('/', htmlPage('Start', 'Where to begin.'))
    await lab.setSchedule('0 3 * * *')
    await lab.setSchedule('15 5 * * *')
    expect((await lab.comeDue())!.toISOString()).toContain('T05:15:00.000Z')
    await lab.scheduledRun()
    await lab.setSchedule(null)
    expect(await lab.comeDue()).toBeNull()
    await lab.setSchedule(null)
  },
}
