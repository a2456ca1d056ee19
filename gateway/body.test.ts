// How request bodies count while they arrive, and how large ones overflow into a file.

import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { createFolder } from '../test/folder.ts'
import { type BodyKind, bodyLimits, createBodies, createQuota, openBody } from './body.ts'
import { createHttpServer } from './uws.ts'

const mebibyte = 1024 * 1024
const folder = createFolder()
/** Does not exist before it is needed. */
const overflowFolder = join(folder, 'data')

/** A body that the test sends. */
function open(kind: BodyKind, { maxByNetwork = 32 * mebibyte, contentLength = null as number | null } = {}) {
  const quota = createQuota({ max: 2 * maxByNetwork, maxByNetwork })
  const fileQuota = createQuota({ max: 272 * mebibyte, maxByNetwork: 272 * mebibyte })
  const client = new AbortController()
  let send: (chunk: ArrayBuffer, isLast: boolean) => void = () => {}
  const held: boolean[] = []
  const body = openBody({
    ...bodyLimits[kind],
    onData: (listener) => {
      send = listener
    },
    pause: () => held.push(true),
    resume: () => held.push(false),
    ...{ contentLength, quota, fileQuota, overflowFolder, network: 'n', signal: client.signal },
  })
  return { body, quota, fileQuota, client, held, send: (...args: Parameters<typeof send>) => send(...args) }
}

describe('a buffered body', () => {
  const maxBody = bodyLimits.withKey.max

  function openWhole(contentLength: number | null = null, maxByNetwork = 8 * maxBody) {
    const { send, ...opened } = open('withKey', { contentLength, maxByNetwork })
    return { ...opened, send: (text: string, isLast = false) => send(toBuffer(text), isLast) }
  }

  function toBuffer(text: string): ArrayBuffer {
    return new TextEncoder().encode(text).buffer as ArrayBuffer
  }

  it('is complete in the end, and counts until it is read', async () => {
    const { body, quota, send } = openWhole()
    for (const letter of 'abc'.repeat(1_000)) send(letter)
    // A byte per segment costs no more than twice the bytes.
    expect(quota.used()).toBeGreaterThanOrEqual(3_000)
    expect(quota.used()).toBeLessThanOrEqual(6_000)
    send('', true)
    expect(new TextDecoder().decode(await body.whole())).toBe('abc'.repeat(1_000))
    expect(quota.used()).toBe(0)
  })

  it.each<[string, (opened: ReturnType<typeof openWhole>) => void]>([
    ['dropped', ({ body }) => body.drop()],
    ['aborted by its client', ({ client }) => client.abort()],
    ['too large', ({ send }) => send('x'.repeat(maxBody))],
  ])('stops counting when it is %s, whatever still arrives', (_, end) => {
    const opened = openWhole()
    opened.send('x'.repeat(10_000))
    expect(opened.quota.used()).toBeGreaterThan(0)
    end(opened)
    expect(opened.quota.used()).toBe(0)
    opened.send('x'.repeat(10_000), true)
    expect(opened.quota.used()).toBe(0)
  })

  it('is rejected if its network holds too much', async () => {
    const { body, quota, send } = openWhole(null, 50_000)
    send('x'.repeat(50_001), true)
    await expect(body.whole()).rejects.toMatchObject({ reason: 'rate_limited' })
    expect(quota.used()).toBe(0)
  })

  it('is discarded until it ends, up to 64 MiB', async () => {
    const short = openWhole()
    const ended = short.body.drop(true)
    short.send('x'.repeat(2 * maxBody))
    short.send('x', true)
    expect(await ended).toBe(false)
    const long = openWhole()
    const stopped = long.body.drop(true)
    for (let mebibytes = 0; mebibytes < 64; mebibytes++) long.send('x'.repeat(mebibyte))
    expect(await stopped).toBe(true)
  })

  it('is accepted if small, however much larger ones hold', async () => {
    const openOne = createBodies('/nowhere')
    function begin(at: number, size: number, isLast: boolean) {
      const { promise, resolve } = Promise.withResolvers<(chunk: ArrayBuffer, isLast: boolean) => void>()
      const body = openOne('withKey', {
        onData: resolve,
        ...{ pause() {}, resume() {} },
        contentLength: size,
        network: `n${at}`,
        signal: new AbortController().signal,
      })
      promise.then((listener) => listener(new Uint8Array(isLast ? size : size - 1).buffer, isLast))
      return body
    }
    const large = Array.from({ length: 32 }, (_, at) => begin(at, maxBody, false))
    await expect(begin(40, 16 * 1024 + 1, true).whole()).rejects.toMatchObject({ reason: 'unavailable' })
    expect((await begin(41, 16 * 1024, true).whole()).length).toBe(16 * 1024)
    large[0]!.drop()
    expect((await begin(42, 16 * 1024 + 1, true).whole()).length).toBe(16 * 1024 + 1)
  })
})

describe('a streamed body', () => {
  /** A megabyte of one number. */
  const chunk = (value: number) => new Uint8Array(mebibyte).fill(value % 256).buffer

  async function numbersOf(pieces: AsyncIterable<Uint8Array>) {
    const bytes: number[] = []
    let length = 0
    for await (const piece of pieces) {
      for (let at = (mebibyte - (length % mebibyte)) % mebibyte; at < piece.length; at += mebibyte)
        bytes.push(piece[at]!)
      length += piece.length
    }
    return { bytes, length }
  }

  test('stays paused until it is dropped if it is complete while paused', async () => {
    const { body, held, send } = open('streamed')
    send(chunk(1), false)
    send(chunk(2), true)
    expect((await numbersOf(body.pieces())).length).toBe(2 * mebibyte)
    expect(held).toEqual([true])
    body.drop()
    expect(held).toEqual([true, false])
  })

  test('overflows into a file if it arrives faster than it is read, and keeps its order', async () => {
    const { body, quota, fileQuota, held, send } = open('streamed')
    for (let at = 0; at < 60; at++) send(chunk(at), false)
    expect(quota.used()).toBeLessThanOrEqual(8 * mebibyte)
    expect(await readdir(overflowFolder)).toEqual([])
    const reading = numbersOf(body.pieces())
    await new Promise((resolve) => setImmediate(resolve))
    for (let at = 60; at < 100; at++) send(chunk(at), at === 99)
    const { bytes, length } = await reading
    expect(length).toBe(100 * mebibyte)
    expect(bytes).toEqual(Array.from({ length: 100 }, (_, at) => at))
    expect(held[0]).toBe(true)
    body.drop()
    expect(held.at(-1)).toBe(false)
    expect([quota.used(), fileQuota.used()]).toEqual([0, 0])
  })

  test('keeps its connection open while it waits to be read, and while it is checked, for longer than the timeout', {
    timeout: 60_000,
  }, async () => {
    // uWebSockets.js closes a connection that is silent for 10 s, ± 4.
    const longer = () => new Promise((resolve) => setTimeout(resolve, 16_000))
    const server = createHttpServer({
      ...{ host: '127.0.0.1', port: 0, overflowFolder, networkOf: () => 'n', bodyKindOf: () => 'streamed' },
      sockets: {} as never,
      async handle({ path, pieces }) {
        if (path === '/waits') await longer()
        let length = 0
        for await (const piece of pieces()) length += piece.length
        if (path === '/is-checked') await longer()
        return { status: 200, headers: {}, body: String(length) }
      },
    })
    const port = await server.listen()
    const length = 9 * mebibyte
    async function upload(path: string) {
      const client = connect(port, '127.0.0.1')
      client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)
      client.write(Buffer.alloc(length))
      const [answer] = await Promise.race([once(client, 'data'), once(client, 'close')])
      client.destroy()
      return String(answer)
    }
    const answers = await Promise.all(['/waits', '/is-checked'].map(upload))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 .*9437184$/s)
    await server.close(0)
  })

  test('holds nothing after its client has left, or when it is dropped', async () => {
    const { body, quota, fileQuota, client, send } = open('streamed')
    for (let at = 0; at < 20; at++) send(chunk(at), false)
    const reading = numbersOf(body.pieces())
    client.abort(new Error('left'))
    await expect(reading).rejects.toThrow('left')
    expect([quota.used(), fileQuota.used()]).toEqual([0, 0])
    const other = open('streamed')
    for (let at = 0; at < 20; at++) other.send(chunk(at), false)
    other.body.drop()
    await expect(numbersOf(other.body.pieces())).rejects.toThrow('read no further')
    expect([other.quota.used(), other.fileQuota.used()]).toEqual([0, 0])
  })

  test('is rejected with a message if its network holds too much in memory', async () => {
    const { body, send } = open('streamed', { maxByNetwork: 4 * mebibyte })
    for (let at = 0; at < 6; at++) send(chunk(at), false)
    await expect(numbersOf(body.pieces())).rejects.toThrow(
      'Too many requests are being sent from this address.',
    )
  })
})
