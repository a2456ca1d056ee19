// Decodes the bytes of a fetched text by the first of: byte order mark, Content-Type, the page's meta tag, content.
import { isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

const marks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]
/** Bytes in which a meta tag is searched: the prescan of the HTML standard. */
const prescanBytes = 1024
const charsetParameter = /charset\s*=\s*(?:["']\s*)?([\w.:-]{1,40})/i

/** The charset of the byte order mark, or null. */
export function markedCharset(bytes: Uint8Array): string | null {
  return marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0] ?? null
}

function metaCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, prescanBytes)).toString('latin1')
  const xml = /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]{1,40})/i.exec(start)
  const meta = /<meta\b[^>]{0,500}?charset\s*=\s*(?:["']\s*)?([\w.:-]{1,40})/i.exec(start) ?? xml
  const name = meta?.[1] ?? null
  // A page whose meta tag can be read as ASCII is not UTF-16, even if it says so (HTML standard).
  return name !== null && /^utf-?16/i.test(name) ? 'utf-8' : name
}

/** Decodes by a charset's name. Returns null if neither Node nor iconv-lite supports it. */
function decodeAs(bytes: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return iconv.encodingExists(charset) ? iconv.decode(Buffer.from(bytes), charset) : null
  }
}

/**
 * Decodes a fetched document. `contentType`: the response's header, with or without a charset. Invalid bytes become U+FFFD.
 * Ignores an unknown charset. Never throws.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string | null): string {
  const header = charsetParameter.exec(contentType ?? '')?.[1]
  for (const charset of [markedCharset(bytes), header, metaCharset(bytes)]) {
    const text = charset ? decodeAs(bytes, charset) : null
    if (text !== null) return text
  }
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes)
}
