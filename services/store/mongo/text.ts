// The texts of pages, compressed.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DomainError } from '../../errors.ts'
import type { PageContent } from '../page.ts'
import type { PageTexts } from '../page-store.ts'
import type { MongoDb } from './connection.ts'
import { bodyRows } from './journal.ts'

/** Maximum bytes of a compressed text. MongoDB documents have at most 16 MiB. */
const maxBodyBytes = 15 * 1024 * 1024

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Rejects with DomainError(invalid) if the text is too long for a document. */
export async function toBody(url: string, content: PageContent): Promise<Uint8Array> {
  const text = await compress(JSON.stringify(content), { level: 1 })
  if (text.length <= maxBodyBytes) return text
  throw new DomainError('invalid', `The text of ${url} is too long: packed, it takes more than 15 MiB.`)
}

export async function readBody(text: Uint8Array): Promise<PageContent> {
  return JSON.parse((await decompress(text)).toString())
}

export const createTexts = (db: MongoDb): PageTexts => ({
  pack: toBody,
  read: async ({ body }) => {
    const row = await bodyRows(db).findOne({ _id: body }, { promoteBuffers: true })
    return row && readBody(row.text)
  },
})
