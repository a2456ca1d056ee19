// Fetches a description, or a file that one refers to, over the one function that dials.
import type { Fetcher } from '../../crawler/fetch.ts'
import type { FetchFile } from './load-files.ts'
import type { DescriptionFile } from './read-description.ts'

interface FetchFileOptions {
  signal: AbortSignal
  /** Sent to the origin of `start` alone. */
  secretHeaders?: Record<string, string>
  start?: string
}

const accept = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5'

export function createFetchFile(fetcher: Fetcher, options: FetchFileOptions): FetchFile {
  const { signal, secretHeaders = {}, start = '' } = options
  const origin = URL.parse(start)?.origin

  return async (url, maxBytes): Promise<DescriptionFile> => {
    const isOwn = URL.parse(url)?.origin === origin
    const answer = await fetcher.call(url, {
      ...{ headers: { accept }, maxBytes, signal },
      ...(isOwn && { secretHeaders }),
    })
    if (answer.kind === 'failed') return { url, fault: answer.message }
    const isGood = answer.status >= 200 && answer.status < 300
    if (!isGood) return { url, fault: `The server answered ${answer.status}.` }
    // What it refers to lies beside where it was found.
    return { url: url === start ? answer.url : url, body: answer.body }
  }
}
