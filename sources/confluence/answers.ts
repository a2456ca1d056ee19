// Reads responses of Confluence's API, in the parse threads. Throws UnreadableSource if the response is not Confluence's.
import { z } from 'zod'
import { normalizeUrl } from '../../crawler/url.ts'
import { cloud, dataCenter, type EditionName, type PageList, type Space, unreadable } from './client.ts'

/** Maximum characters. Confluence allows 255. */
const maxTitle = 500

const id = z.coerce.string().regex(/^\d{1,20}$/)
const links = z.object({ next: z.string().optional(), webui: z.string().optional() }).catch({})
const spaces = z.object({ results: z.array(z.object({ id, key: z.string() })) })
const pages = z.object({
  results: z.array(
    z.object({
      id,
      title: z.string().transform((title) => title.slice(0, maxTitle)),
      version: z.object({ number: z.number().int().nonnegative() }),
      _links: links,
    }),
  ),
  _links: links,
})
/** Pages without storage format count as empty. */
const storage = z.object({ storage: z.object({ value: z.string() }) }).catch({ storage: { value: '' } })
const pageBody = z.object({ id, body: storage })
const bodies = z.union([z.object({ results: z.array(pageBody) }), pageBody])

/** `unknown`: the space does not exist or is not visible. */
export function readSpace(body: Uint8Array, key: string): Space | 'unknown' {
  const answer = read(spaces, body)
  const isAsked = (space: Space) => space.key.toLowerCase() === key.toLowerCase()
  return answer.results.find(isAsked) ?? 'unknown'
}

export function readPages(body: Uint8Array, base: string, name: EditionName): PageList {
  const edition = name === 'cloud' ? cloud : dataCenter
  const answer = read(pages, body)
  const toUrl = (link: string) => (link.startsWith('/') ? edition.link(base, link) : link)
  /** The page's own link, else an address that works in both editions. */
  const toAddress = (page: string, webui: string | undefined) => {
    const url = webui === undefined ? null : normalizeUrl(toUrl(webui))
    return url?.startsWith(`${base}/`) ? url : `${base}/pages/viewpage.action?pageId=${page}`
  }
  const { next } = answer._links
  return {
    pages: answer.results.map(({ id: page, title, version, _links: { webui } }) => ({
      ...{ id: page, title, version: version.number },
      url: toAddress(page, webui),
    })),
    next: next === undefined ? null : toUrl(next),
  }
}

/** Page id → storage format. */
export function readBodies(body: Uint8Array): Map<string, string> {
  const answer = read(bodies, body)
  const found = 'results' in answer ? answer.results : [answer]
  return new Map(found.map((page) => [page.id, page.body.storage.value]))
}

function read<Result>(schema: z.ZodType<Result>, body: Uint8Array): Result {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(body)))
  } catch {
    throw unreadable('The response is not from Confluence. Is the address right?')
  }
}
