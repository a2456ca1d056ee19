// Which addresses may stay links in an answer: those of the documentation itself (decisions.md "Chat").

/** An authority without user or escape, so that no reader of the address can take another host from it. */
const form = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:[/?#][^\s<>\\`"|]*)?$/iu

/** The address as it may stand in a link, or null where it may not. */
export function toSafeAddress(address: string, isOurs: (url: URL) => boolean): string | null {
  if (!form.test(address) || !URL.canParse(address) || !isOurs(new URL(address))) return null
  return address.replaceAll('(', '%28').replaceAll(')', '%29')
}

/**
 * Judges by host: that of a page that the answer rests on, or of a source of the project.
 * `addresses`: absolute; what is none is passed over.
 */
export function createIsOurs(addresses: Iterable<string>): (url: URL) => boolean {
  const hosts = new Set<string>()
  for (const address of addresses) if (URL.canParse(address)) hosts.add(new URL(address).host)
  return (url) => hosts.has(url.host)
}
