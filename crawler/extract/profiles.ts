// Profiles of documentation generators: how to recognize one, where its main content is, and what to omit.
import { createMember, namedRow, shapes } from './definitions.ts'
import { type ClassSet, createClassSet } from './visible.ts'

/** One generator. Lists of classes, ids and keys are separated by white space. */
interface ProfileRow {
  name: string
  /** Tested against the generator meta tag, or the comment that replaces it. Absent: the name is. */
  generator?: RegExp
  /** Keys that together only this generator's pages have, for pages without a generator tag. */
  marker?: string
  /** The address of a style sheet that only this generator's pages link, for pages without a generator tag. */
  styleSheet?: RegExp
  /** The main element: tag, `#id`, `.class` or `[role=main]`. The first that the page has, else its body. */
  main: string
  /** Keys, as in `main`, that only its generated indexes and listings of source code have. */
  index?: string
  /** Class names (`name*`: a prefix) and ids to omit, in addition to those in `visible.ts`. */
  drop?: string
  /** Classes of notes and parts of a definition, tags of headings, `unnamed` (without an anchor): such headings are text. */
  captions?: string
  /** Classes of lists for layout: their items are not list lines. */
  layoutLists?: string
  /** Classes of elements other than `pre` with commands or code, line by line. */
  code?: string
  /** Class of the element before the first heading that is the page's title. */
  titles?: string
  /** The number that the generator prints before a heading's text ("5.1. "). */
  number?: RegExp
  /** Classes of the signatures at the beginning of a member, and of its children that repeat other text. */
  signatures?: string
  repeated?: string
  /** The first heading is the page's title, regardless of its level. */
  firstIsTitle?: true
  /** Separator between page title and site name in `title`. */
  titleSeparator?: string
}

const rows: ProfileRow[] = [
  {
    name: 'sphinx',
    generator: /^Docutils|sphinx/i,
    marker: '.documentwrapper',
    // Sphinx has no generator tag, but all its themes link this style sheet.
    styleSheet: /_static\/pygments\.css/,
    main: '[itemprop=articleBody] .bd-article .body [role=main] main .document',
    // Sphinx's own search also omits listings of source code (`_modules/`).
    index: '.indextable .genindex-jumpbox .modindex-jumpbox .domainindex-table .viewcode-block',
    drop: `toctree-wrapper contents local viewcode-link viewcode-back section-number caption-number colon
      related-pages toc-drawer content-icon-container back-to-top rst-footer-buttons prev-next-footer
      sphinxsidebar related footer mobile-nav`,
  },
  {
    name: 'docbook',
    main: '#docContent',
    drop: 'navheader navfooter toc index list-of-tables list-of-figures list-of-examples',
    captions: 'note tip warning caution important',
    code: 'cmdsynopsis literallayout',
    // DocBook's stylesheets separate label and title by no-break spaces: "Chapter 5. Title", "5.1. Title".
    number: /^(?:\p{L}+\u00a0)?[\p{L}\d][\p{L}\d.]*\.\u00a0/u,
  },
  {
    name: 'docusaurus',
    main: '.theme-doc-markdown .markdown article main',
    drop: `theme-doc-toc-mobile theme-doc-breadcrumbs theme-doc-version-badge theme-doc-version-banner
      theme-doc-footer pagination-nav theme-edit-this-page buttonGroup_*`,
  },
  {
    name: 'vitepress',
    main: '.vp-doc .VPContent main',
    drop: 'lang copy VPDocFooter VPDocAside VPLocalNav VPSidebar VPNav table-of-contents',
  },
  {
    name: 'mkdocs',
    marker: '.md-content__inner',
    main: '.md-content__inner [role=main] .rst-content main',
    drop: `md-content__button md-source-file md-source-date md-feedback md-footer toc rst-footer-buttons md-nav
      wy-breadcrumbs`,
    titleSeparator: ' - ',
  },
  {
    name: 'javadoc',
    marker: '.contentContainer',
    main: 'main [role=main] .contentContainer',
    index: `.index-page .all-classes-index-page .all-packages-index-page .tree-page .search-page .class-use-page
      .package-use-page .classUseContainer .useSummary .allClassesContainer .allPackagesContainer .horizontal`,
    drop: `memberSummary subTitle method-summary constructor-summary field-summary enum-constant-summary constant-summary member-summary
      property-summary inherited-list sub-title sub-nav top-nav bottom-nav toc class-uses inheritance
      table-tabs`,
    layoutLists: 'summary-list details-list member-list blockList blockListLast',
    signatures: 'member-signature',
    titleSeparator: ' (',
    firstIsTitle: true,
  },
  {
    name: 'rustdoc',
    main: '#main-content main',
    drop: `rustdoc-breadcrumbs src rightside out-of-band sub-heading sidebar anchor settings-menu
      rustdoc-toolbar tooltip hideme test-arrow`,
    titleSeparator: ' - ',
  },
  {
    name: 'texinfo',
    generator: /^(?:makeinfo|texi2)|texinfo/i,
    main: '',
    drop: `header nav-panel section-toc mini-toc menu contents shortcontents summary-letter copiable-anchor settitle
      printindex index-cp index-fn index-ky index-pg index-tp index-vr`,
    number: /^(?:Appendix [A-Z]|[A-Z](?:\.\d+)+|\d+(?:\.\d+)*)\s+/,
    firstIsTitle: true,
  },
  { name: 'asciidoctor', main: '', drop: 'toc details icon footer' },
  {
    name: 'doxygen',
    main: '#doc-content',
    // `-members` pages, and lists of classes, files and topics.
    index: '.directory .classindex',
    drop: `top titlearea navpath nav-path side-nav summary heading memtitle mlabel ttc dynheader
      inherit inherit_header dyncontent ingroups definition reference referencedby MSearchSelectWindow MSearchResultsWindow tabs tabs2 tabs3 footer`,
    code: 'fragment',
    titles: 'title',
    signatures: 'memproto',
  },
  {
    name: 'typedoc',
    marker: '.tsd-page-title',
    main: '.col-content',
    drop: `tsd-breadcrumb tsd-sources tsd-tag tsd-index-group tsd-index-panel tsd-navigation tsd-hierarchy
      tsd-member-summaries tsd-generator`,
    captions: 'tsd-parameters tsd-type-parameters tsd-description tsd-tag-* unnamed',
    code: 'tsd-signature',
    layoutLists: 'tsd-signatures tsd-descriptions',
    firstIsTitle: true,
  },
  {
    name: 'jsdoc',
    styleSheet: /(?:^|\/)jsdoc[^/]*\.css/i,
    main: '#main main',
    index: '.linenums',
    drop: 'tag-source',
    captions: 'h5',
  },
  {
    name: 'pdoc',
    main: 'main',
    drop: 'view-source-button memberlist',
    signatures: 'attr modulename',
    repeated: 'pdoc-code',
    firstIsTitle: true,
  },
  {
    name: 'haddock',
    marker: '#package-header',
    main: '#content',
    drop: 'link selflink info instances synopsis table-of-contents',
    titles: 'caption',
  },
  {
    name: 'exdoc',
    main: '#content',
    drop: 'summary top-search app-vsn bottom-actions icon-action hover-link',
    signatures: 'detail-header',
  },
  {
    name: 'rdoc',
    styleSheet: /(?:^|\/)rdoc\.css/,
    main: 'main [role=main]',
    index: '.table-of-contents',
    drop: 'method-click-advice method-source-toggle method-source-code',
    signatures: 'method-heading method-header',
    titleSeparator: ' - ',
  },
  {
    name: 'yard',
    marker: '.nav_wrap #resizer',
    styleSheet: /css\/full_list\.css/,
    main: '#content',
    index: '#full_list #listing',
    drop: 'summary summary_toggle source_code fullTree inheritanceTree',
    signatures: 'signature',
  },
  {
    name: 'scaladoc',
    styleSheet: /lib\/template\.css|dotty-icons\.css/,
    main: '#content',
    drop: `owner morelinks mbrsel inheritedMembers groupedMembers tooltip toggleContainer permalink
      companion-badge documentableFilter documentableBrief supertypes concise-view-switch inheritance-diagram`,
    captions: 'cover',
    code: 'main-signature',
    signatures: 'modifier_kind symbol header',
    repeated: 'shortcomment',
  },
  {
    name: 'dokka',
    styleSheet: /styles\/logo-styles\.css/,
    main: '#content #main',
    drop: 'anchor-wrapper copy-tooltip copy-popup-wrapper platform-bookmarks-row tabs-section',
    code: 'symbol',
  },
  { name: 'mdbook', main: 'main', titleSeparator: ' - ' },
  { name: 'pkgdown', main: '#main main .contents', drop: 'dont-index d-none' },
]

const plainRow: ProfileRow = {
  name: 'plain',
  main: 'main [role=main] article',
  drop: `sidebar toc table-of-contents navbar navigation nav navheader navfooter site-header site-footer menu
    site-nav search-box searchbox footer`,
}

const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '')

/** The lists of classes. */
const roles = ['drop', 'captions', 'layoutLists', 'code', 'titles', 'signatures', 'repeated'] as const

function toProfile(row: ProfileRow) {
  const entries = roles.map((role) => [role, createClassSet(words(row[role]))] as const)
  const sets = Object.fromEntries(entries) as Record<(typeof roles)[number], ClassSet>
  const member = row.signatures && createMember(sets.signatures, sets.repeated)
  const members = member && { div: member, section: member, li: member }
  return {
    ...row,
    ...sets,
    generator: row.generator ?? new RegExp(`\\b${row.name}\\b`, 'i'),
    main: words(row.main),
    index: words(row.index),
    shapes: new Map(Object.entries({ tr: namedRow, ...members, ...shapes[row.name] })),
    droppedIds: new Set([...words(row.drop), ...words(commonIds)]),
  }
}

export type Profile = ReturnType<typeof toProfile>

const commonIds = `toc table-of-contents sidebar cookie-banner cookie-consent synthetic-implementations
  synthetic-implementations-list blanket-implementations blanket-implementations-list`

const profiles = rows.map(toProfile)
const plainProfile = toProfile(plainRow)

/** Keys of main elements, markers and indexes. The parser of a page collects elements with these keys. */
export const mainKeys: ReadonlySet<string> = new Set(
  [...rows, plainRow].flatMap(({ main, index, marker }) => words([main, index, marker].join(' '))),
)

/** All classes that a profile uses. */
export const tellingClasses = createClassSet(
  [...rows, plainRow].flatMap((row) => roles.flatMap((role) => words(row[role]))),
)

/** The name of the generator whose pages link this style sheet, or ''. */
export const generatorOfStyleSheet = (href: string): string =>
  rows.find(({ styleSheet }) => styleSheet?.test(href))?.name ?? ''

/** The profile of a page by its generator's name, else by a marker, else the plain profile. */
export function toPageProfile(generator: string, has: (key: string) => boolean): Profile {
  return (
    profiles.find((profile) => profile.generator.test(generator)) ??
    profiles.find(({ marker }) => marker !== undefined && words(marker).every(has)) ??
    plainProfile
  )
}
