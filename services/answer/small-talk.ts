// Greetings, thanks, and questions about the chat itself: recognized by their phrases, and answered without a search.
import { isWeb } from '../../sources/source-table.ts'
import { fold } from '../index/analyze.ts'
import { toInline } from '../search/passage.ts'
import type { ChatSource } from '../store/chat.ts'
import type { Project } from '../store/project.ts'
import type { Store } from '../store/store.ts'
import { type Language, languages, replies } from './replies.ts'
import catalogue from './small-talk.json' with { type: 'json' }
import { toTitleLink } from './titles.ts'

/** The first kind counts for a message with several: `Hi, what can you do?` asks, `ok, thanks` thanks. */
const kinds = ['about', 'bye', 'thanks', 'hello', 'ok'] as const

interface SmallTalk {
  kind: (typeof kinds)[number]
  language: Language
}

interface Phrase {
  text: string
  kind: keyof (typeof catalogue)['en']
}

/** Longer ones first, so that `thanks for your help` is not read as `thanks` and something else. */
const phrases = Object.fromEntries(
  languages.map((language) => {
    const lists = Object.entries(catalogue[language]) as [Phrase['kind'], string][]
    const known = lists.flatMap(([kind, list]) =>
      list.split(', ').map((text) => ({ text: toPlain(text), kind })),
    )
    return [language, known.sort((a, b) => b.text.length - a.text.length)]
  }),
) as Record<Language, Phrase[]>

/**
 * Null for a message with anything but phrases of one language: `Hello!` is small talk, `hello world` is not.
 * `preferred`: the language if phrases of several match.
 */
export function readSmallTalk(message: string, preferred: Language): SmallTalk | null {
  const plain = toPlain(message)
  for (const language of [preferred, ...languages]) {
    const read = readKinds(plain, phrases[language])
    const kind = kinds.find((kind) => read?.has(kind))
    if (kind !== undefined) return { kind, language }
  }
  return null
}

function readKinds(plain: string, known: Phrase[]): Set<Phrase['kind']> | null {
  const read = new Set<Phrase['kind']>()
  let rest = plain
  while (rest !== '') {
    const phrase = known.find(({ text }) => rest.startsWith(text) && endsWord(rest, text))
    if (phrase === undefined) return null
    read.add(phrase.kind)
    rest = rest.slice(phrase.text.length).trimStart()
  }
  return read
}

/** Japanese and Chinese do not separate words. */
function endsWord(text: string, phrase: string): boolean {
  return /\P{ASCII}$/u.test(phrase) || !/^[\p{L}\p{N}]/u.test(text.slice(phrase.length))
}

/** `¡Buenos días!` → `buenos dias` */
export function toPlain(message: string): string {
  return fold(message)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

type SectionsStore = Pick<Store, 'sources' | 'pages' | 'addresses'>

/** Markdown: the reply to small talk. */
export async function replyToSmallTalk(
  { kind, language }: SmallTalk,
  project: Project,
  store: SectionsStore,
): Promise<string> {
  const { greeting, welcome, goodbye, acknowledged, about, sections } = replies[language]
  if (kind !== 'about') return { hello: greeting, thanks: welcome, bye: goodbye, ok: acknowledged }[kind]
  const main = await readMainSections(project.uuid, store)
  const links = main.map((source) => `- ${toTitleLink(source)}`).join('\n')
  const own = about.replace('{name}', () => toInline(project.name))
  return links === '' ? own : `${own} ${sections}\n\n${links}`
}

const maxSections = 8
/** Limits of addresses and links that are read. */
const maxUrls = 10_000
const maxLinks = 100

/**
 * The pages that the start page links to, those with most pages below them first. Without a known start page, all pages count.
 *
 *   links of `/`   `/about.html`, `/library/` with 300 pages below, `/library/os.html`, `/tutorial/` with 16
 *   sections       `/library/`, `/tutorial/`, `/about.html`
 */
async function readMainSections(project: string, store: SectionsStore): Promise<ChatSource[]> {
  const { sources, pages, addresses } = store
  const indexed = await addresses.scan(project, { status: 'indexed' }, '', maxUrls)
  const urls = indexed.map(({ url }) => url)
  const known = new Set(urls)
  const web = (await sources.all(project)).filter(({ type }) => isWeb(type))
  const starts = web
    .flatMap(({ url, resolvedUrl }) => [resolvedUrl ?? url, url])
    .flatMap((url) => [url, new URL('.', url).href, new URL('index.html', url).href])
  const start = starts.find((url) => known.has(url)) ?? ''
  const [startPage] = await pages.byUrls(project, [start])
  const links = (startPage && (await pages.content(startPage.uuid))?.links) ?? urls
  const linked = [...new Set(links)].filter((url) => known.has(url) && url !== start).slice(0, maxLinks)
  const folders = linked.map(toFolder)
  const main = linked
    .filter((url, at) => !folders.some((folder) => folder !== folders[at] && url.startsWith(folder)))
    .map((url) => ({ url, folder: toFolder(url) }))
    .map(({ url, folder }) => ({ url, below: urls.filter((other) => other.startsWith(folder)).length }))
    .sort((a, b) => b.below - a.below)
  const chosen = await pages.byUrls(
    project,
    main.slice(0, maxSections).map(({ url }) => url),
  )
  return chosen.flatMap((page) => (page === null || page.title === '' ? [] : [page]))
}

/** The folder of the pages below a page: `/guide`, `/guide/`, `/guide.html` and `/guide/index.html` → `/guide/`. */
function toFolder(url: string): string {
  return `${url.replace(/(?:\/index)?(?:\.html?)?\/?$/u, '')}/`
}
