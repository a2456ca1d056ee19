// The extracted text of a page as it lies in the database: JSON, packed by gzip, in a document of its own.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DomainError } from '../../errors.ts'
import type { PageContent } from '../page.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Bytes of a packed text at most: MongoDB takes documents of 16 MiB. */
const maxBytes = 15 * 1024 * 1024

/** Throws DomainError(invalid) for a text that is longer than the database keeps in one document. */
export async function toText(url: string, content: PageContent): Promise<Uint8Array> {
  const text = await pack(JSON.stringify(content), { level: 1 })
  if (text.length <= maxBytes) return text
  throw new DomainError('invalid', `The text of ${url} is too long: packed, it takes more than 15 MiB.`)
}

export async function readText(text: Uint8Array): Promise<PageContent> {
  return JSON.parse((await unpack(text)).toString())
}
