// The extracted text of a page as it lies in the file: JSON, compressed.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { PageContent } from '../page.ts'

const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const toBody = (content: PageContent): Uint8Array => zstdCompressSync(JSON.stringify(content), fast)

export const readContent = (body: Uint8Array): PageContent => JSON.parse(zstdDecompressSync(body).toString())
