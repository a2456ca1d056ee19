// Fetches a description, or a file that one refers to, over the one function that dials.
import type { Fetcher } from '../../crawler/fetch.ts'
import type { FetchFile } from './load-files.ts'
import type { DescriptionFile } from './read-description.ts'

interface FetchFileOptions {
  signal: AbortSignal
  /** Sent to the origin of `start` alone. */
  secretHeaders?: Record<string, string>
  start?: string
  /** For all files of the description. */
  timeoutMs?: number
}

const minutes = 2

const accept = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5'

export function createFetchFile(fetcher: Fetcher, options: FetchFileOptions): FetchFile {
  const { signal, secretHeaders = {}, start = '', timeoutMs = minutes * 60_000 } = options
  const origin = URL.parse(start)?.origin

  const timeout = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, timeout])

  return async (url, maxBytes): Promise<DescriptionFile> => {
    const isOwn = URL.parse(url)?.origin === origin
    const options = { headers: { accept }, maxBytes, signal: either, ...(isOwn && { secretHeaders }) }
    const answer = await fetcher.call(url, options).catch((error) => {
      signal.throwIfAborted()
      if (timeout.aborted) return null
      throw error
    })
    if (answer === null)
      return {
        url,
        fault: `The description takes more than ${minutes} minutes to load with all of its files.`,
      }
    if (answer.kind === 'failed') return { url, fault: answer.message }
    const isGood = answer.status >= 200 && answer.status < 300
    if (!isGood) return { url, fault: `The server answered ${answer.status}.` }
    // What it refers to lies beside where it was found.
    return { url: url === start ? answer.url : url, body: answer.body }
  }
}
