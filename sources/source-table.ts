// The source types, a row each.
import { confluenceType } from './confluence/confluence-type.ts'
import { fileType } from './file/file-type.ts'
import { hostedSiteType } from './hosted-site/hosted-site-type.ts'
import { openapiType } from './openapi/openapi-type.ts'
import { repositoryType } from './repository/repository-type.ts'
import type { SourceSettings, SourceType, SourceTypeName } from './source-type.ts'
import { sitemapType, siteType, urlType } from './web/web-types.ts'

export const sourceTable: Record<SourceTypeName, SourceType> = {
  url: urlType,
  site: siteType,
  sitemap: sitemapType,
  openapi: openapiType,
  repository: repositoryType,
  confluence: confluenceType,
  file: fileType,
  hosted_site: hostedSiteType,
}

/** What no other source of its type in the project may share; the UUID where the type has no identity. */
export function toIdentity(source: SourceSettings): string {
  const { identity } = sourceTable[source.type]
  return (identity ? identity(source) : source.url) || source.uuid
}

/** Whether its documents are pages of the web, each of which can be asked for by itself. */
export const isWeb = (type: SourceTypeName): boolean => sourceTable[type].covers !== undefined
