// The texts of a language for components. English is built in. Each other language is a separate chunk.
import { strings as english, type Plural, type SearchStrings } from '../strings/en.ts'
import type { Strings } from '../strings/en-ask.ts'

/** Texts that a page replaces. */
export type PartialStrings = { [Group in keyof Strings]?: Partial<Strings[Group]> }

export interface Texts extends SearchStrings {
  language: string
  /** All groups of the language. English has only those of search: see ask-texts.ts and failure.ts. */
  strings: SearchStrings & Partial<Strings>
  own: PartialStrings
  /** The form for `n`, with `{n}` filled in. */
  plural(forms: Plural, n: number): string
}

const languages: Record<string, () => Promise<{ strings: Strings }>> = {
  de: () => import('../strings/de.ts'),
  es: () => import('../strings/es.ts'),
  fr: () => import('../strings/fr.ts'),
  it: () => import('../strings/it.ts'),
  ja: () => import('../strings/ja.ts'),
  nl: () => import('../strings/nl.ts'),
  pt: () => import('../strings/pt.ts'),
  zh: () => import('../strings/zh.ts'),
}

export function createTexts(
  language = 'en',
  strings: Texts['strings'] = english,
  own: PartialStrings = {},
): Texts {
  const rules = new Intl.PluralRules(language)
  /** The first use of number formats is slow in browsers. Small numbers do not need them. */
  const print = (n: number) => (n < 1_000 ? n : n.toLocaleString(language))
  return {
    ...mergeStrings(strings, own),
    language,
    strings,
    own,
    plural: (forms, n) => fill(forms[rules.select(n)] ?? forms.other, { n: print(n) }),
  }
}

/** The strings with some of them replaced. */
export function mergeStrings<T extends object>(strings: T, own: PartialStrings): T {
  const groups = Object.entries(strings).map(([group, texts]) => [
    group,
    { ...texts, ...own[group as keyof PartialStrings] },
  ])
  return Object.fromEntries(groups)
}

/** The texts of the first available language of `tags` (`de-AT`, `de`). English if there is none, or no connection. */
export async function loadTexts(tags: readonly string[], own?: PartialStrings): Promise<Texts> {
  for (const tag of tags) {
    const [language = ''] = tag.toLowerCase().split(/[-_]/)
    if (language === 'en') break
    const load = Object.hasOwn(languages, language) ? languages[language] : undefined
    const loaded = await load?.().catch(() => null)
    if (loaded) return createTexts(language, loaded.strings, own)
  }
  return createTexts('en', english, own)
}

/** `Hello {name}` → `Hello Ada` */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
}
