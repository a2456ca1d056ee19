// Request headers that a proxy could interpret differently, and response headers.
import { connect } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestGateway } from './gateway/lectern-gateway.ts'

const gateway = await openTestGateway({ trustProxy: ['127.0.0.1'] })
beforeEach(() => {
  gateway.asked.length = 0
})
afterAll(() => gateway.close())

/** Sends the text as is. Returns everything received until the server closes. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
  })
}

const search = '/api/v2/projects/open/search/?q=x'

describe('forwarded headers on several lines', () => {
  /** Sends a request and reads the body, then closes the connection. */
  async function ask(lines: string[], path: string) {
    const socket = connect(gateway.port, '127.0.0.1')
    const headers = ['Host: inner', `Authorization: ${gateway.authorization}`, ...lines].join('\r\n')
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (data) => {
        text += data
        const [head, body] = text.split('\r\n\r\n')
        const length = Number(/content-length: (\d+)/i.exec(head!)?.[1])
        if (body?.length === length) resolve(body)
      })
    })
    socket.destroy()
    return JSON.parse(answer)
  }

  it('are joined, since a proxy appends its own after the client’s', async () => {
    for (const [last, address] of [
      ['8.8.8.8', '8.8.8.8'],
      // The address of a trusted proxy is skipped, and the one before it counts.
      ['127.0.0.1', '7.7.7.7'],
    ]) {
      const lines = ['X-Forwarded-For: 6.6.6.6, 7.7.7.7', `x-forwarded-for: ${last}`]
      const { results } = await ask(lines, search)
      expect(JSON.parse(results[0].fragment)).toMatchObject({ address })
    }
  })

  it('with host and scheme count by the last value', async () => {
    const lines = [
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Host: docs.example',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Proto: https',
    ]
    expect(await ask(lines, '/api/v2/projects/')).toMatchObject({
      next: 'https://docs.example/api/v2/projects/?limit=20&offset=20',
    })
  })
})

describe('duplicate header lines', () => {
  const smuggled = 'DELETE /api/v2/projects/open/ HTTP/1.1\r\nHost: l\r\nAuthorization: KEY\r\n\r\n'
  it.each([
    ['content-length', 'Content-Length: 2\r\nContent-Length: 9\r\n', '{}'],
    ['content-length', 'Content-Length: 2\r\nContent-Length: 2\r\n', '{}'],
    ['transfer-encoding', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['transfer-encoding', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
    ['transfer-encoding', 'Transfer-Encoding: gzip\r\n', '0\r\n\r\n'],
    ['host', 'Host: other\r\n', ''],
    ['authorization', 'Authorization: Basic a\r\nAuthorization: Basic b\r\n', ''],
    ['content-type', 'Content-Type: text/plain\r\nContent-Type: application/json\r\n', ''],
    ['origin', 'Origin: https://a.example\r\nOrigin: https://b.example\r\n', ''],
  ])('%s: returns 400 and does not parse what follows as a request', async (name, lines, body) => {
    const head = `POST /api/v2/projects/open/search/click/ HTTP/1.1\r\nHost: l\r\n${lines}\r\n${body}`
    const answer = await sendRaw(head)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    const json = answer.slice(answer.indexOf('{'))
    expect(JSON.parse(json)).toMatchObject({
      code: 'invalid',
      error: expect.stringContaining(`header ${name}`),
    })

    // If both are sent together, the connection may be closed without a response.
    const together = await sendRaw(head + smuggled.replace('KEY', gateway.authorization))
    expect(together).not.toMatch(/^HTTP\/1\.1 2/)
    expect((together.match(/HTTP\/1\.1/g) ?? []).length).toBeLessThan(2)
    expect(gateway.asked).toEqual([])
  })
})

describe('responses', () => {
  it.each([
    ['GET', search, 200],
    ['GET', '/api/v2/nothing/', 404],
    ['POST', '/api/v2/projects/', 400],
  ])('%s %s (%i) allow every origin and forbid caching', async (method, path, status) => {
    const answer = await gateway.ask(method, path, method === 'POST' ? {} : undefined)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cross-origin-resource-policy')).toBeNull()
  })

  it.each(['/', '/metrics', '/healthz', '/readyz', '/nothing'])(
    '%s allows only the same origin',
    async (path) => {
      const { headers } = await gateway.ask('GET', path)
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
    },
  )

  it('do not name the server software', async () => {
    for (const path of ['/healthz', search]) {
      const { headers } = await gateway.ask('GET', path)
      expect(headers.get('uwebsockets')).toBeNull()
      expect(headers.get('server')).toBeNull()
    }
  })
})
