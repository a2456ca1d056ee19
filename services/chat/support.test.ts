import { describe, expect, it } from 'vitest'
import { doubtOf } from './support.ts'

const passage = {
  title: 'pool.connect(address, timeout=5, retries=3)',
  text: `Opens a connection to the server at address. It is kept open until close() is called, and reused by later calls.

If the timeout expires, the attempt is cancelled and ConnectError is raised. The default is 5 seconds. A pool usually holds at most 20 connections; idle ones are closed after two minutes.

- retries: how often a failed attempt is repeated. Zero disables repeating.
- keepalive: seconds between probes. This option is only read at start and cannot be changed later.

\`\`\`
conn = pool.connect("db:5432", retries=0)
conn.send(b"ping")
\`\`\`

Changed in version 2.4: Added the keepalive option. The retries option is deprecated.

Buffers take 4MB. Without a limit, memory grows without bound.`,
}

const judge = (text: string) => doubtOf({ kind: 'prose', text }, passage)

describe('a claim that the passage makes', () => {
  for (const claim of [
    'Opens a connection to the server at address.',
    '`pool.connect()` cancels the attempt and raises ConnectError when the timeout is reached.',
    'The timeout defaults to 5 seconds.',
    'The connection stays open until `close()` is called.',
    'Idle connections are closed after 120 seconds.',
    'Setting `retries` to 0 disables repeating.',
    'The keepalive option was added in version 2.4.',
    'Since version 2.4 the `retries` option is deprecated.',
    'Buffers take four megabytes.',
    'keepalive cannot be changed later; it is only read at start.',
    'Memory grows without bound if there is no limit.',
  ]) {
    it(claim, () => expect(judge(claim)).toBeNull())
  }
})

describe('a claim that it does not make', () => {
  const cases: [claim: string, why: RegExp][] = [
    ['The timeout defaults to 10 seconds.', /say/],
    ['The timeout defaults to 5 minutes.', /say/],
    ['Buffers take 4GB.', /say/],
    ['Idle connections are never closed after two minutes.', /denies? “|“never”/],
    ['If the timeout expires, the attempt is not cancelled.', /deny “cancelled/],
    ['keepalive can be changed later.', /denies “changed”/],
    ['The `retries` option was added in version 2.4.', /retries|say this/],
    ['Zero enables repeating.', /./],
    ['A pool always holds at most 20 connections.', /always/],
    ['Idle connections are closed before two minutes.', /after/],
    ['The connection is encrypted with TLS.', /say this/],
    ['`pool.reconnect()` opens a connection to the server at address.', /reconnect/],
    ['Only the first connection is closed.', /./],
  ]
  for (const [claim, why] of cases) it(claim, () => expect(judge(claim)).toMatch(why))
})

describe('code', () => {
  it('is held by the passage that shows it', () => {
    expect(doubtOf({ kind: 'code', text: 'conn = pool.connect("db:5432")' }, passage)).toBeNull()
    expect(doubtOf({ kind: 'code', text: 'import requests\nrequests.get(url)' }, passage)).toMatch(/code/)
  })
})

it('takes any text', () => {
  for (const text of ['', '?', '💥 '.repeat(500), '`', 'x'.repeat(5_000), '設定を保存します。'])
    expect(() => judge(text)).not.toThrow()
  expect(
    doubtOf(
      { kind: 'prose', text: '設定を保存します。' },
      { title: '設定', text: '設定を保存します。次へ進みます。' },
    ),
  ).toBeNull()
})
