// Whether a unit is in one of some languages, by its tag: `en`, `pt-br`, or null where nobody said and its text
// does not tell.

/** `pt-br`, `pt-x-detected` → `pt`. */
export function toBareLanguage(tag: string): string {
  return tag.toLowerCase().split(/[-_]/)[0]!
}

/** `languages`: two letters each (ISO 639-1); null: every. What is in no known language may be in any. */
export function isInLanguages(tag: string | null, languages: string[] | null): boolean {
  return tag === null || languages === null || languages.includes(toBareLanguage(tag))
}
