// Checks descriptions in this thread, without fetching references, for handlers that are tested without parse threads.
import type { CheckDescription } from '../../services/openapi/openapi-service.ts'
import { checkFiles } from '../../sources/openapi/openapi-parser.ts'

export const checkHere: CheckDescription = async (first) => {
  const found = checkFiles([{ url: '', body: new TextEncoder().encode(JSON.stringify(first)) }])
  return found.kind === 'checked' ? found : found.kind
}
