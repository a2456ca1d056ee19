// The extracted text of a page as it lies in the file: JSON in UTF-8. Not compressed: zstd at its fastest costs two to
// three times the processor time of writing the larger row, and reading it back is slower too.
import type { PageContent } from '../page.ts'

const decoder = new TextDecoder()

export const toBody = (content: PageContent): Uint8Array => Buffer.from(JSON.stringify(content))

export const readContent = (body: Uint8Array): PageContent => JSON.parse(decoder.decode(body))
