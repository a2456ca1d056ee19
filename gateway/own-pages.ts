// Pages of documents that have no address on the web, `/files/{slug}/{source}/…`: who may read them is for the core to say.
import { create } from '@bufbuild/protobuf'
import { DocumentService, GetPageRequestSchema, type GetPageResponse } from '../gen/lectern/v1/document_pb.js'
import type { CallerReader } from './caller.ts'
import { type CoreClient, createContextReader } from './core-client.ts'
import type { Answer, HttpRequest } from './http.ts'
import { pagePolicy, toPageHtml } from './page-html.ts'
import { readQuery } from './query.ts'
import { Refusal } from './refusal.ts'
import type { Route } from './router.ts'

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy,
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}

export function createOwnPageRoutes({ core, caller }: { core: CoreClient; caller: CallerReader }): Route[] {
  const readContext = createContextReader(caller, 'v2')

  async function answer(
    request: HttpRequest,
    { slug = '', source = '', rest = '' }: Record<string, string>,
  ): Promise<Answer> {
    const asked = { slug, sourceUuid: source, path: rest, part: readPart(request) }
    const context = readContext(request)
    const found = await core.call(
      DocumentService.method.getPage,
      create(GetPageRequestSchema, asked),
      context,
    )
    return { status: 200, headers, body: toPageHtml((found as GetPageResponse).page!, demoOf(request, slug)) }
  }

  return [
    { method: 'GET', path: '/files/{slug}/{source}', answer },
    { method: 'GET', path: '/files/{slug}/{source}/{rest}', answer },
  ]
}

function readPart(request: HttpRequest): number {
  const part = readQuery(request.query).get('part') ?? '1'
  if (!/^[1-9]\d{0,8}$/.test(part)) throw new Refusal('not_found', 'The page has no such part.')
  return Number(part)
}

/** Relative to the page, so that it is right below any public address. */
function demoOf({ path }: HttpRequest, slug: string): string {
  return `${'../'.repeat(path.split('/').length - 2)}demo/${encodeURIComponent(slug)}/`
}
