// Untrusted addresses: whether a link may lead to one, and how it is displayed.

/** Returns the address if a link may lead to it, else undefined. */
export function readWebAddress(text: string): string | undefined {
  return /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text) ? text : undefined
}

/** `https://docs.example.org/guide/a%20b.html` → `docs.example.org › guide › a b.html` */
export function toReadablePath(page: string): string {
  if (!URL.canParse(page)) return page
  const { host, pathname } = new URL(page)
  return [host, ...pathname.split('/').filter(Boolean).map(decode)].join(' › ')
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
