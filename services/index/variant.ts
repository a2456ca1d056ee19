// Version and language of a page, read from its address where the page does not say.

const version =
  /^(?:v?\d{1,4}(?:\.\d{1,4}){0,3}(?:\.x)?|stable|latest|dev|devel|main|master|nightly|next|current)$/i
const language = /^[a-z]{2}(?:[-_](?:[a-z]{2}|hans|hant))?$/i
/** Two letters in a path are a language only if they are one that documentation is written in. */
const languages = new Set(
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv nl no pl pt ro ru sk sl sr sv th tr uk vi zh'.split(
    ' ',
  ),
)

interface Variant {
  docVersion: string | null
  /** BCP 47, lower case. */
  language: string | null
}

/** One spelling of a version: `V2.1` and `2.1` are the same. */
export function toDocVersion(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
}

/** `/en/3.11/library/` → language `en`, version `3.11`. A last segment that names a file is neither. */
export function readVariant(url: string): Variant {
  const folders = new URL(url).pathname.split('/').slice(1, -1)
  const found = folders.find((folder) => version.test(folder))
  const spoken = folders.find(
    (folder) => language.test(folder) && languages.has(folder.slice(0, 2).toLowerCase()),
  )
  return {
    docVersion: found === undefined ? null : toDocVersion(found),
    language: spoken?.toLowerCase().replace('_', '-') ?? null,
  }
}
