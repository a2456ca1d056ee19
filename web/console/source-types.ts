// The types of sources: what each reads, and the fields of its form.
import type { SourceType } from './rows.ts'

export type FieldKind = 'text' | 'url' | 'number' | 'globs' | 'json' | 'secret' | 'headers'

export interface SourceField {
  /** Name in the API. `credentials.…` are write-only. */
  name: string
  label: string
  kind: FieldKind
  hint: string
  /** Addition to the hint for an existing source. */
  savedHint?: string
  placeholder?: string
  /** Cannot be changed later. */
  isFixed?: boolean
}

interface SourceTypeRow {
  title: string
  about: string
  fields: SourceField[]
}

const url = (hint: string, placeholder: string): SourceField => {
  return { name: 'url', label: 'Address', kind: 'url', hint, placeholder, isFixed: true }
}

const globs: SourceField[] = [
  {
    name: 'include',
    label: 'Include',
    kind: 'globs',
    hint: 'Globs of addresses or paths to read, one per line. Empty: all pages.',
    placeholder: '/guide/**',
  },
  {
    name: 'exclude',
    label: 'Exclude',
    kind: 'globs',
    hint: 'Globs of addresses or paths to leave out, one per line.',
    placeholder: '/guide/old/**',
  },
]

const maxPages: SourceField = {
  name: 'max_pages',
  label: 'Page limit',
  kind: 'number',
  hint: 'The greatest number of pages to read.',
  placeholder: 'no limit',
}

const secret = {
  hint: 'Stored encrypted and never shown again.',
  savedHint: 'Leave it empty to keep what is stored.',
}

const web: SourceField[] = [
  {
    name: 'credentials.headers',
    label: 'Request headers',
    kind: 'headers',
    ...secret,
    hint: `Such as a cookie or a token, one per line. Sent only to the host of the address. ${secret.hint}`,
    placeholder: 'Authorization: Bearer …',
  },
  {
    name: 'max_connections',
    label: 'Connections',
    kind: 'number',
    hint: 'How many pages are read at a time, from 1 to 8.',
    placeholder: '8',
  },
  {
    name: 'delay_ms',
    label: 'Delay in milliseconds',
    kind: 'number',
    hint: 'The time between two requests.',
    placeholder: 'as robots.txt says',
  },
]

export const sourceTypes: Record<SourceType, SourceTypeRow> = {
  site: {
    title: 'Site',
    about: 'Pages in a folder of a site, found by following links.',
    fields: [
      url(
        'Where the crawl starts. Pages in its folder and below are read.',
        'https://docs.example.com/guide/',
      ),
      ...globs,
      maxPages,
      {
        name: 'max_depth',
        label: 'Depth limit',
        kind: 'number',
        hint: 'The greatest number of links to follow from the start page.',
        placeholder: 'no limit',
      },
      ...web,
    ],
  },
  sitemap: {
    title: 'Sitemap',
    about: 'Pages that a sitemap lists.',
    fields: [url('Ends in .xml or .xml.gz.', 'https://docs.example.com/sitemap.xml'), ...globs, ...web],
  },
  url: {
    title: 'One page',
    about: 'A single page.',
    fields: [url('The page.', 'https://docs.example.com/changes.html'), ...web],
  },
  repository: {
    title: 'Git repository',
    about: 'Markdown, reStructuredText, AsciiDoc, text and notebooks of a repository.',
    fields: [
      url('The address to clone from, over https.', 'https://git.example.com/docs.git'),
      { name: 'branch', label: 'Branch', kind: 'text', hint: 'Empty: the default branch.' },
      {
        name: 'base_url',
        label: 'Address of the built site',
        kind: 'url',
        hint: 'Results link there. Empty: to the repository’s host.',
      },
      ...globs,
      { name: 'credentials.token', label: 'Access token', kind: 'secret', ...secret },
    ],
  },
  openapi: {
    title: 'OpenAPI',
    about: 'Operations and schemas of an API description.',
    fields: [
      url(
        'The description. Leave it empty to paste the description below.',
        'https://api.example.com/openapi.json',
      ),
      {
        name: 'spec',
        label: 'Description',
        kind: 'json',
        hint: 'The description itself as JSON, in place of an address.',
      },
      {
        name: 'base_url',
        label: 'Address of the reference',
        kind: 'url',
        hint: 'The page that shows the description; results link there.',
      },
      {
        name: 'credentials.header',
        label: 'Name of a header',
        kind: 'secret',
        ...secret,
        placeholder: 'X-Key',
      },
      { name: 'credentials.value', label: 'Value of the header', kind: 'secret', ...secret },
    ],
  },
  confluence: {
    title: 'Confluence',
    about: 'The pages of a space.',
    fields: [
      url('The address of the Confluence site.', 'https://example.atlassian.net/wiki'),
      { name: 'space_key', label: 'Key of the space', kind: 'text', hint: 'Such as DOCS.', isFixed: true },
      { name: 'credentials.email', label: 'E-mail of the account', kind: 'secret', ...secret },
      { name: 'credentials.token', label: 'API token', kind: 'secret', ...secret },
    ],
  },
  file: { title: 'File', about: 'PDF, Markdown, text, DOCX, XLSX or CSV, at most 10 MB each.', fields: [] },
  hosted_site: {
    title: 'Zipped site',
    about: 'A static site as a zip file of at most 250 MB.',
    fields: [...globs, maxPages],
  },
}

/** Types that are added by a form. Others are uploaded. */
export const formTypes = ['site', 'sitemap', 'url', 'repository', 'openapi', 'confluence'] as const

/** Labels of a type's fields, by the API's names. */
export const readLabels = (type: SourceType): Map<string, string> =>
  new Map(sourceTypes[type].fields.map(({ name, label }) => [name, label]))
