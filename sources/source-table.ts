// The source types, one row each.
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

/** Must be unique among sources of the type in a project. The UUID if the type has no identity. */
export function toIdentity(source: SourceSettings): string {
  const { identity } = sourceTable[source.type]
  return (identity ? identity(source) : source.url) || source.uuid
}

/** Whether documents are web pages, which can be fetched one by one. */
export const isWeb = (type: SourceTypeName): boolean => sourceTable[type].covers !== undefined
