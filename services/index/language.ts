// Whether a unit is in one of some languages, by its tag: `en`, `pt-br`, or null where nobody said.

/** `languages`: two letters each (ISO 639-1); null: every. What is in no known language may be in any. */
export function isInLanguages(tag: string | null, languages: string[] | null): boolean {
  return tag === null || languages === null || languages.includes(tag.toLowerCase().split(/[-_]/)[0]!)
}
