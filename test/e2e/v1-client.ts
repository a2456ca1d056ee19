// A client of REST v1 on a page of another origin.

/** The page's origin. */
export const page = 'https://docs.example'

interface Request {
  /** Sends a form as a form, anything else as JSON. */
  body?: unknown
  /** Absent unless given. */
  key?: string
  headers?: Record<string, string>
}

interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of bodies
  body: any
}

export type AskV1 = (method: string, path: string, request?: Request) => Promise<Answer>

export async function askV1(
  baseUrl: string,
  method: string,
  path: string,
  { body, key, headers }: Request = {},
): Promise<Answer> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams
  const answer = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: {
      origin: page,
      ...(key && { authorization: `Api-Key ${key}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isForm ? (body as FormData) : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) }
}
