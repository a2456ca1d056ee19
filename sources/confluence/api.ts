// The two editions of Confluence: the addresses of their APIs, and their answers, which are read in a parse thread.
import { z } from 'zod'
import { normalizeUrl } from '../../crawler/url.ts'

export type EditionName = 'cloud' | 'data-center'

export interface Edition {
  name: EditionName
  /** Paths below the base. */
  space(key: string): string
  pages(space: Space): string
  bodies(ids: string[]): string
  /** Pages whose bodies come with one answer. */
  bodiesAtOnce: number
  /** Address of a page whose own cannot be read. */
  page(id: string): string
  /** Where a link of an answer leads that begins with a slash. */
  link(base: string, path: string): string
}

export interface Space {
  id: string
  key: string
}

const bodiesAtOnce = 50

export const cloud: Edition = {
  name: 'cloud',
  space: (key) => `/api/v2/spaces?keys=${encodeURIComponent(key)}`,
  pages: ({ id }) => `/api/v2/spaces/${id}/pages?limit=250&status=current`,
  bodies: (ids) =>
    `/api/v2/pages?id=${ids.join(',')}&status=current&body-format=storage&limit=${bodiesAtOnce}`,
  bodiesAtOnce,
  page: (id) => `/pages/viewpage.action?pageId=${id}`,
  link: (base, path) => (path.startsWith('/wiki/') ? new URL(base).origin + path : base + path),
}

export const dataCenter: Edition = {
  name: 'data-center',
  space: (key) => `/rest/api/space?spaceKey=${encodeURIComponent(key)}`,
  pages: ({ key }) =>
    `/rest/api/content?spaceKey=${encodeURIComponent(key)}&type=page&expand=version&limit=200&start=0`,
  bodies: ([id]) => `/rest/api/content/${id}?expand=body.storage`,
  bodiesAtOnce: 1,
  page: (id) => `/pages/viewpage.action?pageId=${id}`,
  link(base, path) {
    const { origin, pathname } = new URL(base)
    return pathname !== '/' && path.startsWith(`${pathname}/`) ? origin + path : base + path
  },
}

const isAtlassian = (url: string) => new URL(url).hostname.endsWith('.atlassian.net')

/** Null: only the server can tell. Cloud knows no token without the e-mail address of its account. */
export function guessEdition(
  url: string,
  credentials: { token?: string; email?: string } | null,
): Edition | null {
  if (isAtlassian(url)) return cloud
  return credentials?.token !== undefined && credentials.email === undefined ? dataCenter : null
}

/** Where Cloud is, below the origin. */
export const cloudBase = (url: string): string => `${new URL(url).origin}/wiki`

/** What the paths of a server begin with; an address of something in it is taken too. */
export function toBase(url: string): string {
  if (isAtlassian(url)) return cloudBase(url)
  const { origin, pathname } = new URL(url)
  return (
    origin +
    pathname.replace(/\/(?:display|spaces|pages|rest|[\w-]+\.action)(?:\/.*)?$/, '').replace(/\/+$/, '')
  )
}

export interface ListedPage {
  id: string
  title: string
  version: number
  url: string
}

export interface PageList {
  pages: ListedPage[]
  /** Address of the rest. */
  next: string | null
}

/** Characters; Confluence itself takes 255. */
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
/** A page of a kind that has no storage format is one without text. */
const storage = z.object({ storage: z.object({ value: z.string() }) }).catch({ storage: { value: '' } })
const pageBody = z.object({ id, body: storage })
const bodies = z.union([z.object({ results: z.array(pageBody) }), pageBody])

/** `unknown`: the server has no such space, or does not tell. */
export function readSpace(body: Uint8Array, key: string): Space | 'unknown' | null {
  const answer = read(spaces, body)
  if (answer === null) return null
  const isAsked = (space: Space) => space.key.toLowerCase() === key.toLowerCase()
  return answer.results.find(isAsked) ?? 'unknown'
}

export function readPages(body: Uint8Array, base: string, name: EditionName): PageList | null {
  const edition = name === 'cloud' ? cloud : dataCenter
  const answer = read(pages, body)
  if (answer === null) return null
  const toUrl = (link: string) => (link.startsWith('/') ? edition.link(base, link) : link)
  const toAddress = (page: string, webui: string | undefined) => {
    const url = webui === undefined ? null : normalizeUrl(toUrl(webui))
    return url?.startsWith(`${base}/`) ? url : base + edition.page(page)
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

/** Storage format of pages, by their ids. */
export function readBodies(body: Uint8Array): Map<string, string> | null {
  const answer = read(bodies, body)
  if (answer === null) return null
  const found = 'results' in answer ? answer.results : [answer]
  return new Map(found.map((page) => [page.id, page.body.storage.value]))
}

function read<Answer>(schema: z.ZodType<Answer>, body: Uint8Array): Answer | null {
  try {
    const { success, data } = schema.safeParse(JSON.parse(new TextDecoder().decode(body)))
    return success ? data : null
  } catch {
    return null
  }
}
