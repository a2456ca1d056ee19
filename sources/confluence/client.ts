// Client for Confluence Cloud and Data Center, whose responses are similar. Requests go through the shared fetcher. Responses are parsed
// in a parse thread.
import { type SourceTools, UnreadableSource } from '../source-type.ts'

export type EditionName = 'cloud' | 'data-center'

interface Edition {
  name: EditionName
  /** The base of all paths. `url`: the server, or any page in it. */
  toBase(url: string): string
  /** Paths below the base. */
  space(key: string): string
  pages(space: Space): string
  bodies(ids: string[]): string
  /** Pages whose bodies are fetched with one request. */
  bodiesAtOnce: number
  /** Resolves a link that begins with a slash. */
  link(base: string, path: string): string
}

export interface Space {
  id: string
  key: string
}

const bodiesAtOnce = 50

export const cloud: Edition = {
  name: 'cloud',
  toBase: (url) => `${new URL(url).origin}/wiki`,
  space: (key) => `/api/v2/spaces?keys=${encodeURIComponent(key)}`,
  pages: ({ id }) => `/api/v2/spaces/${id}/pages?limit=250&status=current`,
  bodies: (ids) =>
    `/api/v2/pages?id=${ids.join(',')}&status=current&body-format=storage&limit=${bodiesAtOnce}`,
  bodiesAtOnce,
  link: (base, path) => (path.startsWith('/wiki/') ? new URL(base).origin + path : base + path),
}

export const dataCenter: Edition = {
  name: 'data-center',
  toBase(url) {
    const { origin, pathname } = new URL(url)
    const path = pathname.replace(/\/(?:display|spaces|pages|rest|[\w-]+\.action)(?:\/.*)?$/, '')
    return origin + path.replace(/\/+$/, '')
  },
  space: (key) => `/rest/api/space?spaceKey=${encodeURIComponent(key)}`,
  pages: ({ key }) =>
    `/rest/api/content?spaceKey=${encodeURIComponent(key)}&type=page&expand=version&limit=200&start=0`,
  bodies: ([id]) => `/rest/api/content/${id}?expand=body.storage`,
  bodiesAtOnce: 1,
  link(base, path) {
    const { origin, pathname } = new URL(base)
    return pathname !== '/' && path.startsWith(`${pathname}/`) ? origin + path : base + path
  },
}

const isAtlassian = (url: string) => new URL(url).hostname.endsWith('.atlassian.net')

/** Tokens of Cloud always have an e-mail address, those of Data Center never. */
export const toEdition = (url: string, credentials: SourceTools['credentials']): Edition =>
  isAtlassian(url) || credentials?.email !== undefined ? cloud : dataCenter

/** The base of the server's paths. For servers outside atlassian.net, both editions have the same. */
export const toBase = (url: string): string => (isAtlassian(url) ? cloud : dataCenter).toBase(url)

export interface ListedPage {
  id: string
  title: string
  version: number
  url: string
}

export interface PageList {
  pages: ListedPage[]
  next: string | null
}

export type ConfluenceClient = Awaited<ReturnType<typeof openClient>>

const maxBodyBytes = 20 * 1024 * 1024

/** Finds the space. Rejects with UnreadableSource, as all methods of the client do. */
export async function openClient(
  { url, spaceKey }: { url: string; spaceKey: string },
  { fetcher, read, credentials, signal }: SourceTools,
) {
  const { token, email } = credentials ?? {}
  const authorization =
    email === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`
  const secretHeaders = token === undefined ? {} : { authorization }
  const origin = new URL(url).origin

  function ask(address: string) {
    return fetcher.call(address, {
      headers: { accept: 'application/json' },
      ...{ secretHeaders, maxBytes: maxBodyBytes, signal },
    })
  }

  async function readAnswer<Result>(address: string, task: string, ...input: unknown[]): Promise<Result> {
    return read(task, readBody(await ask(address)), ...input)
  }

  const edition = toEdition(url, credentials)
  const base = edition.toBase(url)
  const space = await readAnswer<Space | 'unknown'>(base + edition.space(spaceKey), 'space', spaceKey)
  if (space === 'unknown')
    throw unreadable(
      `The server shows no space ${spaceKey}. Is the key right, and may the account of the token read it?`,
    )

  return {
    edition,
    async *pages(): AsyncGenerator<PageList> {
      for (let next: string | null = base + edition.pages(space); next !== null; ) {
        const isOwn: boolean = URL.parse(next)?.origin === origin
        if (!isOwn) throw unreadable('The rest of the list of its pages lies at another server.')
        const list: PageList = await readAnswer<PageList>(next, 'pages', base, edition.name)
        yield list
        next = list.next
      }
    },
    /** Page id → body, without pages that the server does not return. */
    async bodies(ids: string[]): Promise<Map<string, string>> {
      const answer = await ask(base + edition.bodies(ids))
      const isMissing = ids.length === 1 && answer.kind === 'answer' && answer.status === 404
      // One page can make the request fail for all, so the caller then requests each separately.
      if (isMissing || (ids.length > 1 && !isWhole(answer))) return new Map()
      const found = await read<Map<string, string>>('bodies', readBody(answer))
      const requested = new Set(ids)
      return new Map([...found].filter(([id]) => requested.has(id)))
    },
  }
}

/** Whether separate requests would not help: all pages were read, the account may not read them, or it is rate-limited. */
function isWhole(answer: CallResult): boolean {
  return answer.kind === 'answer' && [200, 401, 403, 429].includes(answer.status)
}

export const unreadable = (message: string) => new UnreadableSource(`The space could not be read. ${message}`)

/** Status → what to check. */
const hints: Record<number, string> = {
  401: ' Are the token and, for Cloud, the e-mail address of its account right?',
  403: ' May the account of the token read the space?',
  404: ' Is its address right, and may the account of the token read the space?',
  429: ' It limits the rate of requests: try again later.',
}

type CallResult = Awaited<ReturnType<SourceTools['fetcher']['call']>>

function readBody(answer: CallResult): Uint8Array {
  if (answer.kind === 'failed') throw unreadable(answer.message)
  const { status, body } = answer
  if (status === 200) return body
  throw unreadable(`The server answered ${status}.${hints[status] ?? ''}`)
}
