// Downloads from a server that may do anything: only the complete, correct file gets its name, and an error is one line.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Agent } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder } from '../../../test/folder.ts'
import { type DownloadOptions, download } from './fetch-model.ts'

const content = Buffer.from('weights '.repeat(50_000))
const sha256 = createHash('sha256').update(content).digest('hex')

let folder: string
let path: string
const servers: Server[] = []
beforeEach(async () => {
  folder = createFolder()
  path = join(folder, 'model.onnx')
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const serve = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listen(createServer(listener))}/file`

/** Fails after 300 ms of silence. */
const impatient = new Agent({ headersTimeout: 300, bodyTimeout: 300 })

const get = (url: string, other: Partial<DownloadOptions> = {}) =>
  download(url, path, {
    bytes: content.length,
    sha256,
    progress() {},
    signal: new AbortController().signal,
    dispatcher: impatient,
    ...other,
  })

test('downloads a file through a redirect, and reports progress', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/file') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end(content)
  })
  const read: number[] = []
  await get(url, { progress: (bytes) => read.push(bytes) })
  expect(await readFile(path)).toEqual(content)
  expect(await readdir(folder)).toEqual(['model.onnx'])
  expect(read.at(-1)).toBe(content.length)
  expect(read).toEqual(read.toSorted((a, b) => a - b))
})

const wrong: [name: string, listener: RequestListener, sentence: RegExp][] = [
  ['an error', (_, response) => response.writeHead(503).end(), /answers 503/],
  ['a missing file', (_, response) => response.writeHead(404).end(), /answers 404/],
  ['a truncated file', (_, response) => response.end(content.subarray(1000)), /sends 399000 of 400000 bytes/],
  [
    'a changed file',
    (_, response) => response.end(Buffer.alloc(content.length)),
    /sends another file: its SHA-256 is [0-9a-f]{64}, not [0-9a-f]{64}/,
  ],
  [
    'an endless file',
    (_, response) => void setInterval(() => response.write(content), 1).unref(),
    /sends more than the 400000 bytes/,
  ],
  ['silence', () => {}, /is silent/],
  ['silence during the download', (_, response) => response.write(content.subarray(1000)), /is silent/],
  [
    'a lost connection',
    (_, response) => response.write(content.subarray(1000), () => response.destroy()),
    /breaks the connection/,
  ],
  [
    'a redirect loop',
    (_, response) => response.writeHead(302, { location: '/file' }).end(),
    /redirect count exceeded/,
  ],
  [
    'a redirect to a file',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    /scheme/,
  ],
  ['a redirect without an address', (_, response) => response.writeHead(302).end(), /answers 302/],
]

test.each(wrong)('reports %s, and leaves no file', async (_, listener, sentence) => {
  const failed = get(await serve(listener))
  await expect(failed).rejects.toThrow(sentence)
  await expect(failed).rejects.not.toThrow('\n')
  expect(await readdir(folder)).toEqual([])
})

test('reports an address that nothing listens on', async () => {
  const url = await serve(() => {})
  servers.pop()!.close()
  await expect(get(url)).rejects.toThrow('cannot be reached (ECONNREFUSED)')
})

test('ends with an abort', async () => {
  const stop = new AbortController()
  const url = await serve((_, response) => response.write(content.subarray(1000)))
  const failed = get(url, { signal: stop.signal, progress: () => stop.abort(new Error('closing')) })
  await expect(failed).rejects.toThrow('closing')
  expect(await readdir(folder)).toEqual([])
})
