// A stand-in for Confluence that replays the responses documented by Atlassian for the REST API v2 of Cloud and
// the REST API of Data Center. Lists have pages of two entries. Cloud is below /wiki, Data Center below /confluence.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SpacePage {
  title: string
  version: number
  storage: string
}

export interface ConfluenceServer {
  edition: 'cloud' | 'data-center'
  port: number
  /** The base address for readers. */
  base: string
  /** The pages of the space DOC, by id. */
  pages: Map<string, SpacePage>
  /** The required Authorization header; null: none. */
  authorization: string | null
  asked: { path: string; authorization: string | undefined }[]
  /** Answers instead of the server, if it returns true. */
  answer: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | null
  close(): Promise<void>
}

const partLength = 2

export async function openConfluence(edition: ConfluenceServer['edition']): Promise<ConfluenceServer> {
  const pages: ConfluenceServer['pages'] = new Map()
  const asked: ConfluenceServer['asked'] = []
  const context = edition === 'cloud' ? '/wiki' : '/confluence'

  const server = createServer((request, response) => {
    const { url: path = '', headers } = request
    asked.push({ path, authorization: headers.authorization })
    if (confluence.answer?.(path, request, response)) return
    const isKnown = confluence.authorization === null || headers.authorization === confluence.authorization
    const answer = isKnown ? answers[edition](new URL(path, confluence.base)) : 401
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ statusCode: answer, message: 'com.atlassian.Exception' }))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })

  const links = () => ({ base: confluence.base, context })
  const slug = (title: string) => encodeURIComponent(title).replaceAll('%20', '+')

  const toCloudPage = (id: string, { title, version, storage }: SpacePage, hasBody: boolean) => ({
    ...{ id, status: 'current', title, spaceId: '98306', parentId: null, parentType: 'page' },
    version: { number: version, message: '', minorEdit: false, createdAt: '2026-01-01T00:00:00.000Z' },
    body: hasBody ? { storage: { representation: 'storage', value: storage } } : {},
    _links: {
      webui: `/spaces/DOC/pages/${id}/${slug(title)}`,
      editui: `/pages/resumedraft.action?draftId=${id}`,
    },
  })

  function answerCloud({ pathname, searchParams: query }: URL): object | number {
    if (pathname === '/wiki/api/v2/spaces') {
      const space = { id: '98306', key: 'DOC', name: 'Docs', type: 'global', status: 'current' }
      return { results: query.get('keys') === 'DOC' ? [space] : [], _links: links() }
    }
    const listed = [...pages].map(([id, page]) => toCloudPage(id, page, false))
    if (pathname === '/wiki/api/v2/spaces/98306/pages') {
      const start = Number(query.get('cursor') ?? 0)
      const end = start + partLength
      const next = `${pathname}?limit=250&cursor=${end}`
      return { results: listed.slice(start, end), _links: { ...links(), ...(end < pages.size && { next }) } }
    }
    if (pathname === '/wiki/api/v2/pages' && query.get('body-format') === 'storage') {
      const ids = query.get('id')?.split(',') ?? []
      const found = ids.flatMap((id) => (pages.has(id) ? [toCloudPage(id, pages.get(id)!, true)] : []))
      return { results: found, _links: links() }
    }
    return 404
  }

  const toContent = (id: string, { title, version, storage }: SpacePage, expand: string[]) => ({
    ...{ id, type: 'page', status: 'current', title, position: -1, extensions: { position: 'none' } },
    ...(expand.includes('version') && { version: { number: version, when: '2026-01-01T00:00:00.000Z' } }),
    ...(expand.includes('body.storage') && {
      body: { storage: { value: storage, representation: 'storage' } },
    }),
    _links: {
      webui: `/display/DOC/${slug(title)}`,
      tinyui: `/x/${id}`,
      self: `${confluence.base}/rest/api/content/${id}`,
    },
  })

  function answerDataCenter({ pathname, searchParams: query }: URL): object | number {
    const expand = query.get('expand')?.split(',') ?? []
    if (pathname === '/confluence/rest/api/space') {
      const space = { id: 98306, key: 'DOC', name: 'Docs', type: 'global' }
      return { results: query.get('spaceKey') === 'DOC' ? [space] : [], start: 0, limit: 25, _links: links() }
    }
    if (pathname === '/confluence/rest/api/content' && query.get('spaceKey') === 'DOC') {
      const start = Number(query.get('start'))
      const listed = [...pages].map(([id, page]) => toContent(id, page, expand))
      const results = listed.slice(start, start + partLength)
      const end = start + results.length
      const next = `/rest/api/content?spaceKey=DOC&type=page&expand=version&limit=${partLength}&start=${end}`
      return {
        results,
        start,
        limit: partLength,
        size: results.length,
        _links: { ...links(), ...(end < pages.size && { next }) },
      }
    }
    const id = /^\/confluence\/rest\/api\/content\/(\d+)$/.exec(pathname)?.[1]
    const page = id === undefined ? undefined : pages.get(id)
    return page === undefined ? 404 : toContent(id!, page, expand)
  }

  const answers = { cloud: answerCloud, 'data-center': answerDataCenter }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const confluence: ConfluenceServer = {
    ...{ edition, port, base: `http://127.0.0.1:${port}${context}` },
    ...{ pages, asked, authorization: null, answer: null },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return confluence
}
