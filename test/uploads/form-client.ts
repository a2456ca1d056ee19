// A client that sends forms to Lectern, complete and interrupted ones.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { adminKey } from '../e2e/lectern-process.ts'

export type Fields = [name: string, value: string | File][]

export const file = (name: string, content: string | Uint8Array) => new File([content as never], name)

/** Returns status and body. */
export async function sendForm(baseUrl: string, path: string, fields: Fields, key: string | null = adminKey) {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  const headers: Record<string, string> = key === null ? {} : { authorization: `Api-Key ${key}` }
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body })
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of bodies
  return { status: response.status, body: (await response.json()) as any }
}

const boundary = 'the-boundary'

/** Opens a connection, and sends the headers of a form of this number of bytes, and the beginning of its body. */
export async function beginForm(
  baseUrl: string,
  path: string,
  {
    length,
    begin = '',
    key = adminKey as string | null,
  }: { length: number; begin?: string; key?: string | null },
): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      `host: ${hostname}`,
      ...(key === null ? [] : [`authorization: Api-Key ${key}`]),
      `content-type: multipart/form-data; boundary=${boundary}`,
      `content-length: ${length}`,
      '',
      begin,
    ].join('\r\n'),
  )
  return socket
}

/** The headers of a part with a file. */
export const partOf = (name: string, fileName: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${fileName}"\r\n\r\n`
