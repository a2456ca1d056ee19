// What the parse threads do for API descriptions: see read-description.ts.
import { createLimits } from '../../crawler/extract/limits.ts'
import type { ExtractedPage } from '../../crawler/extract/page.ts'
import { textPage } from '../../crawler/extract/text-page.ts'
import type { ApiDocument } from './document-text.ts'
import { checkFiles, toDocuments } from './read-description.ts'

export const openapiParser = {
  /** Of a document that `documents` made. */
  parse({ body }: { body: Uint8Array }): ExtractedPage {
    const document: ApiDocument = JSON.parse(new TextDecoder().decode(body))
    const limits = createLimits(body.length)
    return textPage(document.title, document.sections, limits, document.keywords)
  },
  tasks: { documents: toDocuments, check: checkFiles },
}
