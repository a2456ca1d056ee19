// The addresses of a project and their outcomes. frontier.ts has their state in a live run.
import { type Address, type AddressFilter, type AddressStore, addressStatuses, indexed } from '../address.ts'
import { endOfPrefix } from '../paging.ts'
import { type Connection, yieldToWriters } from './connection.ts'

const toNumber = (status: Address['status']) => addressStatuses.indexOf(status)
/** Value of the column `status`. */
export const pending = toNumber('pending')

export const addressSchema = `
-- outcome to target: state in the run that found the address last, valid while that run is live.
-- status to http_status: the last visit. status: index in addressStatuses.
create table address (
  id integer primary key,
  project integer not null,
  url text not null,
  run integer,
  outcome text,
  outcome_reason text,
  deferred integer not null default 0,
  deferred_by text,
  target text,
  status integer not null default ${pending},
  reason text,
  message text,
  at text,
  source text,
  http_status integer,
  unique (project, url)
) strict;
-- Covers all columns of a list.
create index address_by_status on address (project, status, url, run, reason, message, at, source, http_status);
create index address_deferred on address (run, url) where deferred = 1;
`

/** Assignments for `update`. */
export const undecided =
  'outcome = null, outcome_reason = null, deferred = 0, deferred_by = null, target = null'
export const visited = 'status = ?, reason = ?, message = ?, at = ?, source = ?, http_status = ?'

/** Parameters of `visited`. */
export const toVisited = ({ status, reason, message, at, sourceUuid, httpStatus }: Omit<Address, 'url'>) => [
  ...[toNumber(status), reason, message, at, sourceUuid, httpStatus],
]

/** Writes the last visit of an address. Call it in a transaction. */
export function writeAddress(
  db: Connection,
  project: number,
  url: string,
  last: Omit<Address, 'url'> = indexed,
) {
  const values = toVisited(last)
  db.run(
    `insert into address (project, url, status, reason, message, at, source, http_status) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (project, url) do update set ${visited}`,
    [project, url, ...values, ...values],
  )
}

/** Pending addresses belong to the live run. */
const shown = `(address.status <> ${pending} or address.run = project.live_run)`

/** The rest of a select, with its parameters. Forces the index, because SQLite would choose a slower plan. */
function toSelection(project: string, { urlPrefix, status, reason, sourceUuid }: AddressFilter, after = '') {
  const conditions = [
    `project.uuid = $project and ${shown}`,
    status !== undefined && 'address.status = $status',
    after ? 'address.url > $after' : urlPrefix && 'address.url >= $prefix',
    urlPrefix && 'address.url < $end',
    reason !== undefined && 'address.reason = $reason',
    sourceUuid !== undefined &&
      `(address.source = $source or exists (
         select 1 from page join page_source on page_source.page = page.id
         where page.project = address.project and page.url = address.url
           and page_source.source = (select id from source where uuid = $source)))`,
  ]
  return {
    rest: `from project join address indexed by address_by_status on address.project = project.id
      where ${conditions.filter(Boolean).join(' and ')}`,
    values: {
      ...{ project, after, status: status === undefined ? null : toNumber(status), reason: reason ?? null },
      ...{ prefix: urlPrefix ?? null, end: endOfPrefix(urlPrefix ?? ''), source: sourceUuid ?? null },
    },
  }
}

type Row = Omit<Address, 'status'> & { status: number }

const toAddress = (row: Row): Address => {
  return { ...row, status: addressStatuses[row.status]! }
}

const columns = `address.url, address.status, address.reason, address.message, address.at, address.source as sourceUuid,
  address.http_status as httpStatus`

export function createAddresses(db: Connection): AddressStore {
  return {
    list: async (project, filter, { offset, limit }) => {
      const { rest, values } = toSelection(project, filter)
      const order = 'order by address.status, address.url limit $limit offset $offset'
      const rows = db.all<Row>(`select ${columns} ${rest} ${order}`, { ...values, limit, offset })
      return { count: db.count(rest, values), rows: rows.map(toAddress) }
    },
    scan: async (project, filter, after, limit) => {
      const { rest, values } = toSelection(project, filter, after)
      const sql = `select ${columns} ${rest} order by address.url limit $limit`
      return db.all<Row>(sql, { ...values, limit }).map(toAddress)
    },
    find: async (project, url) => {
      const row = db.get<Row>(
        `select ${columns} from project join address on address.project = project.id
         where project.uuid = ? and address.url = ? and ${shown}`,
        [project, url],
      )
      return row === undefined ? null : toAddress(row)
    },
    forget: async (uuid) => {
      const sql = `delete from address where id in (
        select address.id from run join project on project.live_run = run.id
        join address on address.project = project.id and address.run is not run.id
        where run.uuid = ? and not exists (
          select 1 from page where page.project = address.project and page.url = address.url) limit 500)`
      while (db.write(() => db.run(sql, [uuid])) > 0) await yieldToWriters()
    },
    restore: async (uuid, addresses) => {
      db.write(() => {
        const project = db.get<{ id: number }>('select id from project where uuid = ?', [uuid])
        for (const address of project === undefined ? [] : addresses)
          writeAddress(db, project!.id, address.url, address)
      })
    },
  }
}
