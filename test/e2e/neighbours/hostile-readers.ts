// The process of hostile readers: without a key, from many addresses, each attack at a bounded rate until the channel
// from fork closes. Arguments: the gateway's base address, the core's, the slug of the attacked project.
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { setPriority } from 'node:os'
import { Agent, request } from 'undici'

// It simulates other machines, so it must not slow Lectern down.
setPriority(10)

const [base, core, slug] = process.argv.slice(2) as [string, string, string]
const ended = new AbortController()
const agent = new Agent({ connections: 8 })
const project = `${base}/api/v2/projects/${slug}`

let calls = 0
/** Returns one of 4,000 addresses in turn, so that limits per address alone do not stop the attacks. */
function headers(): Record<string, string> {
  calls += 1
  return {
    'x-forwarded-for': `100.64.${Math.floor(calls / 250) % 16}.${calls % 250}`,
    'content-type': 'application/json',
  }
}

const ask = (url: string, body?: string | Buffer, more: Record<string, string> = {}) =>
  request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers(), ...more },
    body: body ?? null,
    dispatcher: agent,
    signal: ended.signal,
    headersTimeout: 20_000,
  }).then((answer) => answer.body.dump())

/** The document that a search finds first: the paragraph of 14 MB, once it is indexed. */
let document = ''
async function findDocument() {
  const options = { headers: headers(), dispatcher: agent, signal: ended.signal }
  const { body } = await request(`${project}/search/?q=needle+haystack`, options)
  const { results } = (await body.json()) as { results: { document_id: string }[] }
  document = results[0]?.document_id ?? ''
}

const slowPattern = encodeURIComponent('.{0,1000}'.repeat(90))
/** Phrases whose first words occur at every position of a text, and whose last word occurs nowhere. */
const phrases = encodeURIComponent(
  Array.from({ length: 8 }, (_, at) => `"${'needle haystack '.repeat(2)}n${at}"`).join(' '),
)
const unknownFields = JSON.stringify(
  Object.fromEntries(Array.from({ length: 75_000 }, (_, at) => [`f${at}`, 1])),
)

/** Each attack, and its rate per second. */
const attacks: [perSecond: number, attack: () => Promise<unknown>][] = [
  [2, () => ask(`${project}/search/?q=needle&limit=50&domain_filter=${slowPattern}`)],
  [5, () => ask(`${project}/search/?q=${'needle haystack '.repeat(30)}&limit=50`)],
  [30, () => ask(`${project}/search/?q=${phrases}&limit=50`)],
  [1, findDocument],
  [10, () => ask(`${project}/documents/${document}/`)],
  [2, () => ask(`${project}/chats/`, JSON.stringify({ message: 'Where is the needle in the haystack?' }))],
  [3, () => ask(`${project}/chats/`, unknownFields)],
  [3, () => ask(`${project}/search/click/`, unknownFields)],
  [20, () => ask(`${base}/api/v2/keys/`, undefined, { authorization: `Api-Key lec_${'a'.repeat(36)}` })],
]

for (const [perSecond, attack] of attacks) {
  setInterval(() => attack().catch(() => {}), 1_000 / perSecond)
}

/** Opens 300 sockets that each send the beginning of a large frame and no end. */
const { hostname, port } = new URL(base)
for (let at = 0; at < 300; at++) {
  const socket = connectTcp(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    [
      `GET /ws/messages/${slug}/ HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `X-Forwarded-For: 100.65.${Math.floor(at / 100)}.${at % 100}`,
      '\r\n',
    ].join('\r\n'),
  )
  socket.once('data', () => {
    const frame = Buffer.alloc(14 + 4 * 1024 * 1024 - 20, 0x20)
    frame[0] = 0x81
    frame[1] = 0xff
    frame.writeBigUInt64BE(BigInt(4 * 1024 * 1024 - 10), 2)
    socket.write(frame)
  })
}

/** Watches the core's health on one connection, in as many streams as it allows. */
const session = connectHttp2(`http://${core}`)
session.on('error', () => {})
session.on('connect', () => {
  for (let at = 0; at < 5_000; at++) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Watch',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', () => {})
    stream.resume()
    stream.end(Buffer.alloc(5))
  }
})

process.on('disconnect', () => {
  ended.abort()
  process.exit()
})
process.send?.('started')
