// Brings a database file to the newest schema. A step that has been released never changes; a new one is appended.
import type { DatabaseSync } from 'node:sqlite'
import { DomainError } from '../../../errors.ts'
import { foldQuery, toKey } from '../../analytics.ts'
import { messageCountsAs } from '../../chat.ts'
import { maxDayKeys, maxDayText } from '../../day-counts.ts'
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

/** Tables of daily counts, and what of `counted` (project, day, measure, key, count) is within their limits. */
const countTables = (name: string, project: 'integer' | 'text', counted: string) => `
create table ${name}_count (
  project ${project} not null,
  measure text not null,
  key text not null,
  day text not null,
  count integer not null,
  primary key (project, measure, key, day)
) strict, without rowid;
-- keys: number of different ones that are not ''; text: their characters.
create table ${name}_day (
  project ${project} not null,
  day text not null,
  measure text not null,
  sum integer not null,
  keys integer not null,
  text integer not null,
  primary key (project, day, measure)
) strict, without rowid;

insert into ${name}_count (project, measure, key, day, count)
  select project, measure, case when place <= ${maxDayKeys} and text <= ${maxDayText} then key else '' end as kept, day, sum(count)
  from (
    select *, row_number() over most_frequent as place, sum(length(key)) over most_frequent as text
    from (${counted})
    window most_frequent as (partition by project, day, measure order by count desc, key rows unbounded preceding))
  group by 1, 2, 3, 4;
insert into ${name}_day (project, day, measure, sum, keys, text)
  select project, day, measure, sum(count), count(nullif(key, '')), sum(length(key)) from ${name}_count group by 1, 2, 3;
`

/** Version 12: daily counts change with the events; clicks count by page only where that is a page of the project. */
const eventCounts = `
drop trigger analytics_event_in;
drop trigger analytics_event_out;
drop table analytics_day;
${countTables(
  'analytics',
  'integer',
  `select project, substr(at, 1, 10) as day, measure, case
     when kind = 'search' then fold_query(coalesce(query, ''))
     when kind = 'click' then coalesce((select page.url from page where page.project = event.project
       and page.url = substr(event.url, 1, instr(event.url || '#', '#') - 1)), '')
     else to_key(coalesce(name, '')) end as key, count(*) as count
   from (
     select *, kind as measure from analytics_event
     union all select *, 'no_result_search' from analytics_event where kind = 'search' and number = 0
     union all select *, 'tool_error' from analytics_event where kind = 'tool_call' and number = 1) event
   group by 1, 2, 3, 4`,
)}`

/** Version 13: why a recrawl was dropped in the words of the event log; recrawls of a project in their order. */
const recrawlOutcomes = `
alter table recrawl add column detail text;
alter table recrawl add column message text;
drop index recrawl_of_project;
create index recrawl_of_project on recrawl (project, created_at, uuid);
create index recrawl_live_of_project on recrawl (project, url) where status in ('queued', 'running');
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
  eventCounts,
  recrawlOutcomes,
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

/** Version 3 of the chats' file: daily counts change with the messages. */
const chatCounts = `
drop trigger chat_message_in;
drop trigger chat_message_changed;
drop trigger chat_named;
drop trigger chat_out;
drop table chat_day;
drop index chat_message_by_time;
${countTables(
  'chat',
  'text',
  `select chat.project, substr(message.created_at, 1, 10) as day, counted.value ->> 0 as measure, counted.value ->> 1 as key, count(*) as count
   from chat_message message join chat on chat.id = message.chat, json_each(message_counts(json_object(
     'role', message.role, 'position', message.position, 'sources', json(message.sources), 'feedback', message.feedback,
     'verdict', (select body ->> '$.verdict' from chat_trace where message = message.id),
     'question', (select content from chat_message asked where asked.chat = message.chat and asked.position = message.position - 1),
     'email', chat.email, 'url', chat.url))) counted
   group by 1, 2, 3, 4`,
)}`

/** The same for the file of chats and limits. */
export const chatSteps: readonly string[] = [firstChats, chatDays, chatCounts]

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
      db.function('to_key', { deterministic: true }, (text) => toKey(String(text)))
      db.function('message_counts', { deterministic: true }, (message) =>
        JSON.stringify(messageCountsAs(JSON.parse(String(message)))),
      )
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
