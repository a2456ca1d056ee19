// Brings a database file to the newest schema. A step that has been released never changes; a new one is appended.
import type { DatabaseSync } from 'node:sqlite'
import { DomainError } from '../../../errors.ts'
import { foldQuery } from '../../analytics.ts'
import { first } from './001-first.ts'
import { firstChats } from './chats-001-first.ts'

/** Version 2: a deferred outcome that waits for another page names it. */
const canonicals = `
alter table frontier add column target text;
`

/** Version 3: projects that keep chats for a number of days are found without reading all of them. */
const retention = `
create index project_retaining on project (uuid) where config ->> '$.retentionDays' is not null;
`

/** Version 4: vectors of texts. */
const vectors = `
create table text_vector (
  model text not null,
  hash text not null,
  used_at text not null,
  vector blob not null,
  primary key (model, hash)
) strict;
create index text_vector_by_use on text_vector (used_at);
`

/** Version 5: how often work was taken up, so that what ends its process each time is given up. */
const claims = `
-- place: where the run stood when it was taken up last.
alter table run add column taken_up integer not null default 0;
alter table run add column place text not null default '';
alter table recrawl add column taken_up integer not null default 0;
`

/** Version 6: what makes a source the only one of its kind is not always its address, and types have fields of their own. */
const sourceTypes = `
alter table source rename column url to identity;
alter table source add column url text not null default '';
update source set url = identity;
alter table source add column options text not null default '{}';
alter table source add column last_error text;
`

/** Version 7: members of teams, and invitations. */
const members = `
create table member (
  uuid text primary key,
  team text not null,
  name text not null,
  email text not null,
  role text not null,
  created_at text not null,
  revision integer not null,
  unique (team, email)
) strict;
create index member_of_team on member (team, created_at, uuid);

create table invitation (
  uuid text primary key,
  team text not null,
  email text not null,
  role text not null,
  hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict;
create index invitation_of_team on invitation (team, created_at, uuid);
`

/** Version 8: what events of analytics add up to by day; countedAs (services/store/analytics.ts) says how they count. */
const tallies = `
create table analytics_tally (
  project integer not null,
  day text not null,
  measure text not null,
  key text not null,
  count integer not null,
  primary key (project, day, measure, key)
) strict, without rowid;

insert into analytics_tally (project, day, measure, key, count)
  select project, substr(at, 1, 10), kind, case kind
    when 'search' then fold_query(coalesce(query, ''))
    else substr(coalesce(url, ''), 1, instr(coalesce(url, '') || '#', '#') - 1) end as counted, count(*)
  from analytics_event group by 1, 2, 3, 4;
insert into analytics_tally (project, day, measure, key, count)
  select project, substr(at, 1, 10), 'no_result_search', fold_query(coalesce(query, '')) as counted, count(*)
  from analytics_event where kind = 'search' and number = 0 group by 1, 2, 4;
`

/**
 * Version 9: what MCP clients do; what a day adds up to is made when it is read (services/store/day-counts.ts), and goes with
 * any change of its events.
 */
const dayCounts = `
drop table analytics_tally;
alter table analytics_event add column name text;
create table analytics_day (
  id integer primary key autoincrement,
  project integer not null,
  day text not null,
  measure text not null,
  sums blob not null,
  keys text not null,
  unique (project, day, measure)
) strict;
create trigger analytics_event_in after insert on analytics_event begin
  delete from analytics_day where project = new.project and day = substr(new.at, 1, 10);
end;
create trigger analytics_event_out after delete on analytics_event begin
  delete from analytics_day where project = old.project and day = substr(old.at, 1, 10);
end;
`

/** Version 10: who made an invitation. */
const creators = `
alter table invitation add column creator text;
`

/** Version 11: which sources could be read, and how many a run could not. */
const sourceStates = `
alter table source add column state text not null default 'pending';
update source set state = case when last_error is not null then 'failed' when last_crawled_at is not null then 'ok' else 'pending' end;
alter table run add column sources_failed integer not null default 0;
`

/** Step n takes a database from version n to version n + 1. */
export const steps: readonly string[] = [
  first,
  canonicals,
  retention,
  vectors,
  claims,
  sourceTypes,
  members,
  tallies,
  dayCounts,
  creators,
  sourceStates,
]

/**
 * Version 2 of the chats' file: what the messages of a day add up to, which goes with any change of one of them. An answer's trace
 * changes together with its message.
 */
const chatDays = `
create index chat_message_by_time on chat_message (created_at, uuid);
create table chat_day (
  id integer primary key autoincrement,
  project text not null,
  day text not null,
  measure text not null,
  sums blob not null,
  keys text not null,
  unique (project, day, measure)
) strict;
create trigger chat_message_in after insert on chat_message begin
  delete from chat_day
  where project = (select project from chat where id = new.chat) and day = substr(new.created_at, 1, 10);
end;
create trigger chat_message_changed after update on chat_message begin
  delete from chat_day
  where project = (select project from chat where id = new.chat) and day = substr(new.created_at, 1, 10);
end;
create trigger chat_named after update of email on chat begin
  delete from chat_day where project = old.project
    and day in (select substr(created_at, 1, 10) from chat_message where chat = old.id);
end;
create trigger chat_out before delete on chat begin
  delete from chat_day where project = old.project
    and day in (select substr(created_at, 1, 10) from chat_message where chat = old.id);
end;
`

/** The same for the file of chats and limits. */
export const chatSteps: readonly string[] = [firstChats, chatDays]

function versionOf(db: DatabaseSync): number {
  return (db.prepare('pragma user_version').get() as { user_version: number }).user_version
}

/**
 * Applies the steps that the file has not seen, each in one transaction with its version number. Safe when several
 * threads open the file at once. Throws DomainError(unavailable) for a file that a newer Lectern has written.
 */
export function migrate(db: DatabaseSync, to: readonly string[] = steps): void {
  if (versionOf(db) > to.length)
    throw new DomainError(
      'unavailable',
      `The database is at schema version ${versionOf(db)} and this Lectern knows versions up to ${to.length}: start the newer Lectern that wrote it.`,
    )
  while (versionOf(db) < to.length) {
    db.exec('begin immediate')
    try {
      db.function('fold_query', { deterministic: true }, (query) => foldQuery(String(query)))
      const version = versionOf(db)
      const step = to[version]
      if (step !== undefined) db.exec(`${step}; pragma user_version = ${version + 1}`)
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }
}
