// A complete Lectern in a separate process, for clients that know only the contract: an indexed site
// in a public project, and a private project that was never synced.

import { adminKey, type LecternProcess, runEnded, startLectern } from '../e2e/lectern-process.ts'
import { htmlPage, openSite, type Site } from '../e2e/site.ts'

/** Slugs of the two projects. */
export const slugs = { open: 'docs', closed: 'closed' }
export const admin = { authorization: `Api-Key ${adminKey}` }

export interface RealCore {
  /** `host:port` of the core. */
  authority: string
  /** Base address of the core. */
  url: string
  lectern: LecternProcess
  site: Site
  /** The run that filled the index. */
  run: string
  /** Starts a run that waits for a page until it is released. */
  beginHeld(): Promise<{ run: string; release(): void }>
  /** The run's end. */
  ended(run: string): Promise<{ status: string }>
  close(): Promise<void>
}

/** Title and text of each page. */
const texts: Record<string, [string, string]> = {
  'asyncio.html': [
    'asyncio',
    'asyncio runs coroutines concurrently, and has queues to share work between them.',
  ],
  'socket.html': ['socket', 'socket is the low-level networking interface of the operating system.'],
}

let shared: Promise<RealCore> | undefined

/** One core for all suites of a test file. The file closes it. */
export function sharedCore(): Promise<RealCore> {
  shared ??= openRealCore()
  return shared
}

export const closeSharedCore = async () => (await shared)?.close()

/** `env`: settings of Lectern. */
export async function openRealCore(env: Record<string, string> = {}): Promise<RealCore> {
  const [site, lectern] = await Promise.all([openSite(), startLectern({ env })])
  site.pages.set(
    '/',
    htmlPage(
      'Start',
      'Where to begin.',
      Object.keys(texts).map((name) => `/${name}`),
    ),
  )
  for (const [name, [title, text]] of Object.entries(texts)) site.pages.set(`/${name}`, htmlPage(title, text))

  async function create(path: string, body: object) {
    const answer = await lectern.call('POST', `/api/v2/projects/${path}`, body)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const begin = async (): Promise<string> => (await create(`${slugs.open}/sync/`, {})).uuid
  const ended = (run: string) => runEnded(lectern, slugs.open, run)

  await create('', { name: 'Docs', slug: slugs.open })
  await create('', { name: 'Closed', slug: slugs.closed, is_private: true })
  await create(`${slugs.open}/sources/`, { type: 'site', url: site.url })
  const run = await begin()
  const { status } = await ended(run)
  if (status !== 'completed') throw new Error(`the site was not read: ${status}`)

  return {
    ...{ authority: lectern.grpc, url: `http://${lectern.grpc}`, lectern, site, run, ended },

    async beginHeld() {
      const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const page = site.pages.get('/')!
      site.pages.set('/', async (_, response) => {
        site.pages.set('/', page)
        asked.resolve()
        await release.promise
        response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      })
      const held = await begin()
      await asked.promise
      return { run: held, release: release.resolve }
    },

    async close() {
      await lectern.remove()
      await site.close()
    },
  }
}
