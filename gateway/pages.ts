// Pages for people: the start, `/demo/{slug}/`, `/manual/`, `/reference/`.
import type { Answer, HttpRequest } from './http.ts'
import type { Route } from './router.ts'
import type { StaticFiles } from './static.ts'

export interface Pages {
  /** Files of the demo page; the same for every project. */
  demo: StaticFiles
  manual: StaticFiles
  /** The page that shows the descriptions of REST; read when it is first asked for. */
  reference(): Promise<StaticFiles>
  /** Slug of the project whose demo page `/` leads to; null: it leads to the manual. */
  first(request: HttpRequest): Promise<string | null>
}

export function createPageRoutes({ demo, manual, reference, first }: Pages): Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      isLimited: true,
      async answer(request) {
        const slug = await first(request)
        return toRedirect(slug === null ? 'manual/' : `demo/${encodeURIComponent(slug)}/`)
      },
    },
    page('/demo/{slug}', () => demo, ''),
    page('/demo/{slug}/{rest}', () => demo),
    page('/manual', () => manual, ''),
    page('/manual/{rest}', () => manual),
    page('/reference', reference, ''),
    page('/reference/{rest}', reference),
  ]
}

/** `name` is the file where the path does not tell it. */
function page(path: string, files: () => StaticFiles | Promise<StaticFiles>, name?: string): Route {
  return {
    method: 'GET',
    path,
    async answer(request, { rest }) {
      const answer = (await files()).answer(name ?? rest ?? '', request)
      return lacksSlash(request, answer) ? toRedirect(`${request.path.split('/').at(-1)}/`) : answer
    },
  }
}

/** Relative links of a page count from its folder, so its address must end in a slash. */
function lacksSlash(request: HttpRequest, { headers }: Answer): boolean {
  return headers['content-type']?.startsWith('text/html') === true && !/\/$|\.html$/.test(request.path)
}

/** Relative to the address that was asked for: right below any public address, and never to another host. */
function toRedirect(path: string): Answer {
  return { status: 302, headers: { location: `./${path}` }, body: '' }
}
