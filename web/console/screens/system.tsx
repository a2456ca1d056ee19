// C12: the load of the process that answers, what waits, what is limited, and how a backup is made.
import { projectHref } from '../address.ts'
import { useLoad } from '../load.ts'
import { Snippet } from '../parts/copied.tsx'
import { Failure, Head, Waiting } from '../parts/notices.tsx'
import { Dot, Fact, formatCount, formatNumber, Meter, When } from '../parts/values.tsx'
import type { Status, System } from '../rows.ts'
import { api, may } from '../session.ts'

interface Seen {
  system: System
  /** Null where the key may not read it. */
  status: Status | null
}

export function Screen() {
  const { value, error, reload } = useLoad(readSystem, [], 5_000)
  if (value === null) return error ? <Failure error={error} onRetry={reload} /> : <Waiting />
  const { system, status } = value
  return (
    <section>
      <Head title="System" about={status && `Lectern ${status.version}`} />
      {error && <Failure error={error} onRetry={reload} />}
      <div class="cards">
        <Process system={system} />
        <Work system={system} status={status} />
        {status && <Drivers status={status} />}
      </div>
      <Blocked blocked={system.blocked} />
      <Backup />
    </section>
  )
}

async function readSystem(signal: AbortSignal): Promise<Seen> {
  const [system, status] = await Promise.all([
    api.get<System>('system/', {}, signal),
    may('projects_read') ? api.get<Status>('status/', {}, signal) : null,
  ])
  return { system, status }
}

const mebibyte = 1024 ** 2

function Process({ system }: { system: System }) {
  const { started_at, memory_bytes, live_turns, max_turns } = system
  return (
    <div class="card">
      <h2>Process</h2>
      <dl class="facts">
        <Fact name="Started">
          <When at={started_at} />
        </Fact>
        <Fact name="Memory">{formatNumber(Math.round(memory_bytes / mebibyte))} MB</Fact>
        <Fact name="Answers under way">
          {formatNumber(live_turns)} of {formatNumber(max_turns)}
          <br />
          <Meter label="Answers under way" value={live_turns} max={max_turns} />
        </Fact>
      </dl>
      <p class="quiet">
        Of the process that answered. Where several serve one installation, each has its own.
      </p>
    </div>
  )
}

function Work({ system, status }: Seen) {
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

function Drivers({ status: { drivers, model, embedding_model } }: { status: Status }) {
  return (
    <div class="card">
      <h2>Behind it</h2>
      <dl class="facts">
        {drivers.map(({ port, driver, available }) => (
          <Fact key={port} name={port}>
            <Dot tone={available ? 'good' : 'bad'}>
              {driver}
              {available ? '' : ' does not answer'}
            </Dot>
          </Fact>
        ))}
        <Fact name="Language model">{model === 'extractive' ? 'none' : model}</Fact>
        <Fact name="Embeddings">{embedding_model ?? 'off'}</Fact>
      </dl>
    </div>
  )
}

function Blocked({ blocked }: { blocked: System['blocked'] }) {
  return (
    <div class="card">
      <h2>Blocked networks</h2>
      <p class="quiet">
        A network address that sends more than 100 messages in a minute is blocked for an hour. Addresses are
        not stored, only a keyed hash of each.
      </p>
      {blocked.length === 0 ? (
        <p>None is blocked.</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Network</th>
              <th scope="col">Until</th>
            </tr>
          </thead>
          <tbody>
            {blocked.map(({ network, until }) => (
              <tr key={network}>
                <td>
                  <code>{network}</code>
                </td>
                <td>
                  <When at={until} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/** The API makes no backup: it would leave the machine in the browser of whoever holds a key. */
function Backup() {
  return (
    <div class="card">
      <h2>Backup</h2>
      <p>On the machine that runs Lectern, this writes everything into one file while it goes on running:</p>
      <Snippet label="Command" text="bin/lectern export lectern.archive" />
    </div>
  )
}
