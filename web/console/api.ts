// The console's calls of REST v2. Calls are not retried: a failure is shown with a button to retry.

export type Values = Record<string, string | number | boolean | null | undefined>

export class ApiError extends Error {
  /** HTTP status; 0 without a response. */
  status: number
  /** The API's machine-readable reason: `slug_taken`. */
  code: string
  /** Errors by field of the body. */
  fields: Record<string, string[]>

  constructor(status: number, sentence: string, code = '', fields: Record<string, string[]> = {}) {
    super(sentence)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

export interface Upload {
  /** From 0 to 1. */
  onProgress(share: number): void
  signal: AbortSignal
}

export interface Api {
  /** Returns the JSON. Throws ApiError, or the abort error. */
  get<T>(path: string, query?: Values, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T>
  patch<T>(path: string, body: unknown): Promise<T>
  delete(path: string): Promise<void>
  upload<T>(path: string, form: FormData, upload: Upload): Promise<T>
  /** Returns the response itself, for CSV and streams. */
  open(path: string, query: Values, accept: string, signal?: AbortSignal): Promise<Response>
}

export interface ApiOptions {
  /** Address of the server, ending in a slash. */
  server: string
  readKey(): string | null
  /** Called with the message of a 401: the key is no longer valid. */
  whenRefused(sentence: string): void
}

const offline = 'No answer came from Lectern. It may be stopped or restarting.'

export function createApi({ server, readKey, whenRefused }: ApiOptions): Api {
  const base = new URL('api/v2/', server)

  function toUrl(path: string, query: Values = {}): URL {
    const url = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, String(value))
    }
    return url
  }

  function toHeaders(accept = 'application/json'): Record<string, string> {
    const key = readKey()
    return { accept, ...(key !== null && { authorization: `Api-Key ${key}` }) }
  }

  async function send(url: URL, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init).catch((cause) => {
      if (init.signal?.aborted) throw cause
      throw new ApiError(0, offline)
    })
    if (!response.ok) throw toError(response.status, await response.text().catch(() => ''))
    return response
  }

  function toError(status: number, text: string): ApiError {
    const error = readError(status, text)
    if (status === 401) whenRefused(error.message)
    return error
  }

  async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { ...toHeaders(), ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await send(toUrl(path), { method, headers, signal: signal ?? null, ...json })
    return (response.status === 204 ? null : await response.json()) as T
  }

  return {
    async get<T>(path: string, query?: Values, signal?: AbortSignal) {
      const response = await send(toUrl(path, query), { headers: toHeaders(), signal: signal ?? null })
      return (await response.json()) as T
    },
    post: (path, body = {}, signal) => call('POST', path, body, signal),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    open: (path, query, accept, signal) =>
      send(toUrl(path, query), { headers: toHeaders(accept), signal: signal ?? null }),

    // Only XMLHttpRequest reports upload progress.
    upload<T>(path: string, form: FormData, { onProgress, signal }: Upload) {
      return new Promise<T>((resolve, reject) => {
        const request = new XMLHttpRequest()
        request.open('POST', toUrl(path))
        for (const [name, value] of Object.entries(toHeaders())) request.setRequestHeader(name, value)
        request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
        request.onerror = () => reject(new ApiError(0, offline))
        request.onabort = () => reject(signal.reason)
        request.onload = () => {
          if (request.status < 300) resolve(JSON.parse(request.responseText))
          else reject(toError(request.status, request.responseText))
        }
        signal.addEventListener('abort', () => request.abort())
        request.send(form)
      })
    },
  }
}

function readError(status: number, text: string): ApiError {
  try {
    const { error, code, fields } = JSON.parse(text)
    if (typeof error === 'string')
      return new ApiError(status, toSentence(error, fields ?? {}), code, fields ?? {})
  } catch {
    // A proxy's response may not be JSON.
  }
  return new ApiError(status, `The server answered ${status}.`)
}

/** Turns an API error into a sentence: `url must be an address.` and `url: must be an address.` → `The address must be …`. */
function toSentence(error: string, fields: Record<string, string[]>): string {
  const name = Object.keys(fields).find(
    (each) => error.startsWith(`${each}: `) || error.startsWith(`${each} `),
  )
  if (name === undefined) return error
  const complaint = error.slice(name.length).replace(/^:? /, '')
  const subject = name === 'url' || name === 'source.url' ? 'The address' : `The field ${name}`
  return /^(must|is|are|has|have|may|can|cannot|needs)\b/.test(complaint)
    ? `${subject} ${complaint}`
    : `${subject}: ${complaint}`
}

/** The names of fields at the start of a message, as toSentence, ChangedElsewhere and the server (`branch, spec is …`) write them. */
const namesAtStart = /^(The field |Nothing was saved: somebody else changed |)([^\s,:]+(?:, [^\s,:]+)*)/

/** The error's message with other names of its fields. Other words are kept: `url` in `https://curl.se/`. */
export function renameFields({ message, fields }: ApiError, rename: (field: string) => string): string {
  return message.replace(namesAtStart, (_, before: string, names: string) => {
    const renamed = names.split(', ').map((name) => (Object.hasOwn(fields, name) ? rename(name) : name))
    return before + renamed.join(', ')
  })
}
