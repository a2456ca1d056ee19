// The two editions of Confluence and the addresses of their APIs. Their answers look alike.

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
