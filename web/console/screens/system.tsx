// C12: the load of the processes, waiting work, limits and blocks, the log, and a backup.
import { useState } from 'preact/hooks'
import { projectHref } from '../address.ts'
import { saveBody } from '../files.ts'
import { useLoad } from '../load.ts'
import { Backends } from '../parts/backends.tsx'
import { Snippet } from '../parts/copied.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { PlainTable } from '../parts/short-table.tsx'
import { say, sayError } from '../parts/toasts.tsx'
import { Clock, Fact, formatCount, formatNumber, Meter, State, When } from '../parts/values.tsx'
import type { Status } from '../rows.ts'
import { api, isAdmin, may } from '../session.ts'

/** The load of the responding process, and the waiting work of the installation. */
interface System {
  started_at: string
  memory_bytes: number
  live_turns: number
  max_turns: number
  running_syncs: number
  queued_syncs: number
  live_recrawls: number
  blocked: { network: string; until: string }[]
  networks: { network: string; messages: number; max_messages: number; until: string }[]
  gateways: {
    uuid: string
    started_at: string
    memory_bytes: number
    open_sockets: number
    max_sockets: number
    rate_limited: number
  }[]
}

interface LogLine {
  at: string
  level: string
  process: string
  text: string
}

interface Seen {
  system: System
  /** Null without the permission to read it. */
  status: Status | null
  /** Oldest first. Null without the permission to read it. */
  log: LogLine[] | null
}

export function Screen() {
  const { value, error, reload } = useLoad(readSystem, [], 5_000)
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const { system, status, log } = value
  return (
    <section>
      <Head title="System" about={status && `Lectern ${status.version}`} />
      {error && <Failure error={error} onRetry={reload} />}
      <div class="cards">
        <Core system={system} />
        <Work system={system} status={status} />
        {status && <Drivers status={status} />}
      </div>
      <Gateways gateways={system.gateways} />
      <Limits system={system} />
      {log && <Log lines={log} />}
      <Backup />
    </section>
  )
}

async function readSystem(signal: AbortSignal): Promise<Seen> {
  const [system, status, log] = await Promise.all([
    api.get<System>('system/', {}, signal),
    may('projects_read') ? api.get<Status>('status/', {}, signal) : null,
    isAdmin() ? api.get<{ lines: LogLine[] }>('system/log/', {}, signal) : null,
  ])
  return { system, status, log: log?.lines ?? null }
}

const mebibyte = 1024 ** 2
const formatMemory = (bytes: number) => `${formatNumber(Math.round(bytes / mebibyte))} MB`

/** The used share of a capacity. */
function Share({ label, value, max }: { label: string; value: number; max: number }) {
  return (
    <>
      {formatNumber(value)} of {formatNumber(max)}
      <br />
      <Meter label={label} value={value} max={max} />
    </>
  )
}

function Core({ system: { started_at, memory_bytes, live_turns, max_turns } }: { system: System }) {
  return (
    <div class="card">
      <h2>Core</h2>
      <dl class="facts">
        <Fact name="Started">
          <When at={started_at} />
        </Fact>
        <Fact name="Memory">{formatMemory(memory_bytes)}</Fact>
        <Fact name="Answers under way">
          <Share label="Answers under way" value={live_turns} max={max_turns} />
        </Fact>
      </dl>
      <p class="quiet">The core that responded. With several cores, each has its own figures.</p>
    </div>
  )
}

function Work({ system, status }: Pick<Seen, 'system' | 'status'>) {
  const waiting =
    status?.projects.filter(({ embedding }) => embedding && embedding.done < embedding.total) ?? []
  return (
    <div class="card">
      <h2>Work</h2>
      <dl class="facts">
        <Fact name="Syncs running">{formatNumber(system.running_syncs)}</Fact>
        <Fact name="Syncs waiting">{formatNumber(system.queued_syncs)}</Fact>
        <Fact name="Recrawls">{formatNumber(system.live_recrawls)}</Fact>
        {waiting.map(({ slug, name, embedding }) => (
          <Fact key={slug} name="Embedding">
            <a href={projectHref(slug, 'runs')}>{name}</a>: {formatNumber(embedding!.done)} of{' '}
            {formatCount(embedding!.total, 'section')}
          </Fact>
        ))}
      </dl>
    </div>
  )
}

function Drivers({ status }: { status: Status }) {
  return (
    <div class="card">
      <h2>Backends</h2>
      <Backends status={status} />
    </div>
  )
}

function Gateways({ gateways }: Pick<System, 'gateways'>) {
  return (
    <div class="card">
      <h2>Gateways</h2>
      <PlainTable
        label="Gateways"
        titles={['Started', 'Memory', 'Open sockets', 'Refused as too many']}
        rows={gateways}
        empty={<p>No gateway has reported yet. Each reports every two seconds.</p>}
      >
        {({ uuid, started_at, memory_bytes, open_sockets, max_sockets, rate_limited }) => (
          <tr key={uuid}>
            <td>
              <When at={started_at} />
            </td>
            <td>{formatMemory(memory_bytes)}</td>
            <td>
              <Share label="Open sockets" value={open_sockets} max={max_sockets} />
            </td>
            <td>{formatCount(rate_limited, 'request or message', 'requests and messages')}</td>
          </tr>
        )}
      </PlainTable>
    </div>
  )
}

function Limits({ system: { networks, blocked } }: { system: System }) {
  return (
    <div class="card">
      <h2>Limits</h2>
      <p class="quiet">
        A network address that sends more than 100 messages in a minute is blocked for an hour. Addresses are
        not stored, only a keyed hash of each.
      </p>
      <div class="halves">
        <div>
          <h3>Messages in this minute</h3>
          <PlainTable
            label="Messages in this minute"
            titles={['Network', 'Messages']}
            rows={networks}
            empty={<p>No address has sent one.</p>}
          >
            {({ network, messages, max_messages }) => (
              <tr key={network}>
                <td>
                  <code>{network}</code>
                </td>
                <td>
                  <Share label={`Messages of ${network}`} value={messages} max={max_messages} />
                </td>
              </tr>
            )}
          </PlainTable>
        </div>
        <div>
          <h3>Blocked networks</h3>
          <PlainTable
            label="Blocked networks"
            titles={['Network', 'Until']}
            rows={blocked}
            empty={<p>None is blocked.</p>}
          >
            {({ network, until }) => (
              <tr key={network}>
                <td>
                  <code>{network}</code>
                </td>
                <td>
                  <When at={until} />
                </td>
              </tr>
            )}
          </PlainTable>
        </div>
      </div>
    </div>
  )
}

const levels: Record<string, string> = { warn: 'warning', fatal: 'error', debug: 'info', trace: 'info' }
const toLevel = (level: string) => levels[level] ?? level

const shownLines = 100

function Log({ lines }: { lines: LogLine[] }) {
  const [isAll, setAll] = useState(true)
  const [isLong, setLong] = useState(false)
  const newest = lines.filter(({ level }) => isAll || toLevel(level) !== 'info').toReversed()
  const shown = isLong ? newest : newest.slice(0, shownLines)
  return (
    <div class="card">
      <div class="head">
        <h2>Log</h2>
        <label class="row">
          <input type="checkbox" checked={!isAll} onChange={() => setAll(!isAll)} />
          Warnings and errors only
        </label>
      </div>
      <p class="quiet">
        The last lines, newest first, of the core that answered and of the gateways above. Stacks of errors
        are in the log itself.
      </p>
      <div class="log">
        <PlainTable
          label="Log"
          titles={['Time', 'Level', 'Process', 'Line']}
          rows={shown}
          empty={<p>Nothing was logged.</p>}
        >
          {({ at, level, process, text }, place) => (
            <tr key={`${at} ${newest.length - place}`}>
              <td>
                <Clock at={at} />
              </td>
              <td>
                <State name={toLevel(level)} />
              </td>
              <td>{process}</td>
              <td class="line">{text}</td>
            </tr>
          )}
        </PlainTable>
      </div>
      {shown.length < newest.length && (
        <div>
          <button type="button" onClick={() => setLong(true)}>
            Show all {formatNumber(newest.length)} lines
          </button>
        </div>
      )}
    </div>
  )
}

/** The last line of a complete archive. */
const end = /\{"end":\{[^\n]*\}\}\n$/

async function downloadBackup() {
  const open = () => api.open('system/backup/', {}, '*/*')
  const isWhole = await saveBody(open, `lectern-${new Date().toISOString().slice(0, 10)}.archive`, end)
  if (!isWhole) throw new Error('The backup was interrupted, and nothing was saved. Try again.')
  say('The backup was made.')
}

function Backup() {
  const [isBusy, setBusy] = useState(false)
  async function run() {
    setBusy(true)
    await downloadBackup().catch((error) => {
      // No file was chosen.
      if (error.name !== 'AbortError') sayError(error)
    })
    setBusy(false)
  }
  return (
    <div class="card">
      <h2>Backup</h2>
      <p>
        One file with everything: teams, keys, projects, pages, conversations. Lectern keeps running. Keep its
        secret, <code>LECTERN_SECRET</code> or the file <code>secret</code> of the data folder, elsewhere: a
        backup alone does not open the credentials of sources.
      </p>
      {isAdmin() ? (
        <div>
          <button class="primary" type="button" disabled={isBusy} onClick={() => void run()}>
            {isBusy ? 'Making the backup…' : 'Back up now'}
          </button>
        </div>
      ) : (
        <p class="quiet">Only the admin key can download it.</p>
      )}
      <Snippet label="Or on the machine that runs Lectern" text="bin/lectern export lectern.archive" />
    </div>
  )
}
