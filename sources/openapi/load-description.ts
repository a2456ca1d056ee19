// Loads a description and the files that it refers to, through the shared fetcher.
import type { Fetcher } from '../../crawler/fetch.ts'
import { UnreadableSource } from '../source-type.ts'
import type { Check, DescriptionFile, Documents, Missing, Renderer } from './openapi-parser.ts'

/** Maximum depth of files that refer to files. */
const maxDepth = 10
/** Maximum bytes of all files. */
const maxBytes = 20 * 1024 * 1024
const timeoutMinutes = 2

const accept = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5'
const tooLarge = `The description has more than ${maxBytes / 1024 / 1024} MB with the files that it refers to.`
const tooSlow = `The description takes more than ${timeoutMinutes} minutes to load with all of its files.`

interface LoadOptions {
  fetcher: Fetcher
  signal: AbortSignal
  /** Address of the description or of a page that shows it, or the description as JSON. */
  from: { url: string } | { spec: string }
  /** Only sent to the origin of the description's address. */
  secretHeaders?: Record<string, string>
  /** Timeout for all files of the description. */
  timeoutMs?: number
}

/**
 * Calls `read` with the loaded files until it reports none missing. `renderer`: of the page that shows the description, or null.
 * Rejects with UnreadableSource.
 */
export async function loadDescription<Result extends Check | Documents>(
  { fetcher, signal, from, secretHeaders = {}, timeoutMs = timeoutMinutes * 60_000 }: LoadOptions,
  read: (files: DescriptionFile[], renderer: Renderer | null) => Promise<Result | Missing>,
): Promise<Result> {
  const start = 'url' in from ? from.url : ''
  const origin = URL.parse(start)?.origin
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, timeout])
  let bytesLeft = maxBytes

  async function fetchFile(url: string): Promise<DescriptionFile> {
    if (bytesLeft <= 0) return { url, fault: tooLarge }
    const isOwn = URL.parse(url)?.origin === origin
    const options = {
      headers: { accept },
      maxBytes: bytesLeft,
      signal: either,
      ...(isOwn && { secretHeaders }),
    }
    const answer = await fetcher.call(url, options).catch((error) => {
      signal.throwIfAborted()
      if (timeout.aborted) return null
      throw error
    })
    if (answer === null) return { url, fault: tooSlow }
    if (answer.kind === 'failed') return { url, fault: answer.message }
    const isSuccess = answer.status >= 200 && answer.status < 300
    if (!isSuccess) return { url, fault: `The server answered ${answer.status}.` }
    bytesLeft -= answer.body.length
    // Relative references resolve against the final address of the description.
    return { url: url === start ? answer.url : url, body: answer.body }
  }

  const readSpec = (spec: string): DescriptionFile => {
    const body = new TextEncoder().encode(spec)
    bytesLeft -= body.length
    return { url: '', body }
  }
  let files = ['url' in from ? await fetchFile(from.url) : readSpec(from.spec)]
  let renderer: Renderer | null = null
  for (let round = 0; ; round++) {
    const answer: Check | Documents | Missing = await read(files, renderer)
    switch (answer.kind) {
      case 'shown':
        if (renderer !== null) throw new UnreadableSource('It is a page, which shows another page.')
        renderer = answer.renderer
        bytesLeft = maxBytes
        files = [await fetchFile(answer.url)]
        break
      case 'wanted':
        if (round > maxDepth) throw new UnreadableSource(`It refers to files more than ${maxDepth} deep.`)
        for (const url of answer.urls) files.push(await fetchFile(url))
        break
      default:
        return answer as Result
    }
  }
}
