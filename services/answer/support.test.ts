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

describe('other words for the same', () => {
  const tidy = {
    title: 'tidy(1): OPTIONS',
    text: `Removes files that are not under version control, starting from the current directory.

- -n
- --dry-run: Don't actually remove anything, just show what would be done.
- --no-backup: Do not keep any backups.
- --age=<date>: Remove backups older than date (default is 2 weeks ago).
- --slow: This will look at every file at the expense of taking much more time.
- --retries: Number of retries. Default: 3.

This is not a hard limit. Further files are accepted, but a warning is output.

If an existing backup is larger than 5 MB, it is not copied; this value only affects new backups, not any existing ones.

Nobody can restore a backup that they do not own. The latest backup is called a.bak, b.bak is the one before it.

A lost backup cannot be made anew, because the tool keeps its name only; so make another.`,
  }
  const doubt = (text: string) => doubtOf({ kind: 'prose', text }, tidy)
  it.each([
    'Files that Git does not track are deleted, beginning in the current directory.',
    'To preview what would be deleted without removing anything, use `-n`.',
    '`--no-backup` turns off the keeping of backups.',
    'By default, backups that are more than two weeks old are removed.',
    'With `--slow` it examines every file, which takes considerably longer.',
    'The limit is not a hard one: more files are accepted with a warning.',
    'The number of `--retries` is 3 by default.',
    'A backup that exceeds 5 MB is not copied.',
    'A lost backup cannot be created again, since only its name is stored, so you need to make a new one.',
  ])('%s', (claim) => {
    expect(doubt(claim)).toBeNull()
  })

  it.each([
    'By default, backups that are more than three weeks old are removed.',
    '`--no-backup` keeps all backups.',
    'This value also affects existing backups.',
    'Anybody can restore a backup that they do not own.',
    'The latest backup is `b.bak`.',
    'The number of `--retries` is 5 by default.',
    'A backup below 5 MB is not copied.',
    'Files that Git tracks are deleted, beginning in the current directory.',
    'A lost backup can be created again.',
  ])('%s is not said', (claim) => {
    expect(doubt(claim)).not.toBeNull()
  })
})

describe('a sentence that gathers what several say', () => {
  const passage = {
    title: 'Sequences',
    text: 'To avoid blocking, the value obtained by nextval is not reclaimed if the calling transaction aborts. This means that aborts can leave gaps in the sequence. An INSERT with an ON CONFLICT clause computes the row, calling nextval, before it detects any conflict.',
  }
  const gathered =
    'A sequence can have gaps, since an aborted transaction never returns the value of `nextval`, and an `INSERT` with `ON CONFLICT` may also call it before it meets the conflict.'

  it('is supported where the passage holds half of it, and all names', () => {
    expect(doubtOf({ kind: 'prose', text: gathered }, passage)).toBeNull()
  })
  it.each([
    ['a name that is not there', gathered.replace('`nextval`', '`setval`')],
    ['a number that is not there', gathered.replace('gaps', '32 gaps')],
    ['a word that narrows it', gathered.replace('may also', 'is the only one to')],
    [
      'most of it not there',
      'A sequence can have gaps, so backups should renumber invoices nightly with `nextval` before accountants export quarterly ledgers.',
    ],
  ])('is not with %s', (_name, text) => {
    expect(doubtOf({ kind: 'prose', text }, passage)).not.toBeNull()
  })
})
