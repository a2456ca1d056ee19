// How long the names on a page may be: each stands in every section below it, so that without a limit a small page would fill
// a disk.

/** Characters. */
const maxTitle = 300
const maxHeading = 200
const maxSignature = 500
const maxAnchor = 500
const maxVersion = 100
/** Names of one definition: what has more is several. */
export const maxNames = 50
/** Definitions that one text may be made into: the names of the others are kept without it. */
export const maxTwins = 10
/** Characters of all keywords together. */
const maxKeywords = { count: 50, length: 1_000 }
/** Bytes on disk that the links of a page may take, each in the rows of the run that finds it: 250, and its length 7.5 times. */
const linkRoom = { base: 500_000, perCharacter: 19 }
const linkCost = { base: 250, perCharacter: 7.5 }
/** Headings above a section, the innermost ones. */
const maxPath = 8

export function limitTitle(title: string): string {
  return cutText(title, maxTitle)
}

/** Whether a heading is so long that it is text: somebody wanted large letters, or forgot to end it. */
export function isText(heading: string): boolean {
  return heading.length > maxHeading
}

export function limitSignature(signature: string): string {
  return cutText(signature, maxSignature)
}

/** Names in as many groups as it takes. */
export function groupNames<Name>(names: Name[]): Name[][] {
  return Array.from({ length: Math.ceil(names.length / maxNames) }, (_, at) =>
    names.slice(at * maxNames, (at + 1) * maxNames),
  )
}

export function limitPath(path: string[]): string[] {
  return path.slice(-maxPath)
}

/** A part of an anchor leads nowhere: none is better. */
export function limitAnchor(anchor: string | null): string | null {
  return anchor !== null && anchor.length <= maxAnchor ? anchor : null
}

export function limitVersion(version: string | null): string | null {
  return version !== null && version.length <= maxVersion ? version : null
}

/** The first that have room. */
export function limitKeywords(keywords: string[]): string[] {
  const kept: string[] = []
  let length = 0
  for (const keyword of keywords) {
    length += keyword.length
    if (kept.length === maxKeywords.count || length > maxKeywords.length) break
    kept.push(keyword)
  }
  return kept
}

/** The first links of a page, as they are resolved, that have room. */
export function createLinkLimit(pageLength: number): (url: string) => boolean {
  let room = linkRoom.base + linkRoom.perCharacter * pageLength
  return (url) => {
    room -= linkCost.base + linkCost.perCharacter * url.length
    return room >= 0
  }
}

/** Never between the halves of one character. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = text.charCodeAt(max - 1)
  return text.slice(0, half >= 0xd800 && half <= 0xdbff ? max - 1 : max).trimEnd()
}
