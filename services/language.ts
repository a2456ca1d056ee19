// Matches language tags of units: `en`, `pt-br`, or null if the page declares no language and detection failed.

/** `pt-br`, `pt-x-detected` → `pt`. */
export function toBareLanguage(tag: string): string {
  return tag.toLowerCase().split(/[-_]/)[0]!
}

/** `languages`: ISO 639-1 codes; null: all. A unit without a language matches all. */
export function isInLanguages(tag: string | null, languages: string[] | null): boolean {
  return tag === null || languages === null || languages.includes(toBareLanguage(tag))
}
