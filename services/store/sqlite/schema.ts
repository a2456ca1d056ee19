// The tables of both database files. A child row names its parent by the row id: once the row of a project or a source is
// deleted, no query finds its children any more. Cleanup deletes them later in small steps (cleanup.ts).

import { countTables } from './analytics.ts'

/** `lectern.db`: everything but chats and limits. */
export const mainSchema = `
create table team (
  uuid text primary key,
  name text not null,
  created_at text not null
) strict;

create table key (
  uuid text primary key,
  team text not null,
  name text not null,
  hash text not null unique,
  permissions text not null,
  projects text,
  member_uuid text,
  created_at text not null,
  expires_at text,
  last_used_at text
) strict;
create index key_of_team on key (team, created_at, uuid);

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
  creator text,
  hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict;
create index invitation_of_team on invitation (team, created_at, uuid);

-- A run is live while live_run names it. Only a live run with this fence may write.
create table project (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  slug text not null unique,
  name text not null,
  is_private integer not null,
  whitelabel integer not null,
  allowed_domains text not null,
  config text not null,
  schedule text generated always as (config ->> '$.sync.schedule') virtual,
  created_at text not null,
  updated_at text not null,
  revision integer not null,
  indexed_at text,
  fence integer not null default 0,
  live_run integer
) strict;
create index project_of_team on project (team, slug);
create unique index project_live on project (live_run) where live_run is not null;
create index project_scheduled on project (uuid) where schedule is not null;
create index project_retaining on project (uuid) where config ->> '$.retentionDays' is not null;

create table source (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  project integer not null,
  type text not null,
  name text not null,
  url text not null,
  identity text not null,
  include text not null,
  exclude text not null,
  max_pages integer,
  max_depth integer,
  resolved_url text,
  options text not null,
  credentials text,
  created_at text not null,
  last_crawled_at text,
  state text not null,
  last_error text,
  revision integer not null,
  unique (project, type, identity)
) strict;
create index source_of_project on source (project, created_at, uuid);

-- pages: the counts, as JSON; they change in the transaction that changes the frontier. events: number of events.
-- claims: number of claims since the counts last changed. claimed_pages: the counts at the last claim.
create table run (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  project integer not null,
  fence integer not null,
  trigger text not null,
  status text not null,
  created_at text not null,
  started_at text,
  finished_at text,
  error text,
  superseded_by text,
  pages text not null,
  sources_failed integer not null default 0,
  events integer not null default 0,
  claims integer not null default 0,
  claimed_pages text
) strict;
create index run_of_project on run (project, created_at, fence);

create table run_event (
  run integer not null,
  sequence integer not null,
  id text not null,
  at text not null,
  level text not null,
  type text not null,
  url text,
  source_uuid text,
  reason text,
  message text not null,
  primary key (run, sequence),
  unique (run, id)
) strict, without rowid;

-- The walk of a source in a run.
create table walk (
  id integer primary key,
  run integer not null,
  source text not null,
  listed integer not null default 0,
  unique (run, source)
) strict;

create table frontier (
  id integer primary key,
  run integer not null,
  url text not null,
  outcome text,
  reason text,
  deferred integer not null default 0,
  deferred_by text,
  target text,
  unique (run, url)
) strict;
create index frontier_deferred on frontier (run, id) where deferred = 1;

-- state: 0 open, 1 walked, 2 declined (its source settled it as deferred).
create table listing (
  url integer not null references frontier (id) on delete cascade,
  walk integer not null,
  ordinal integer not null,
  depth integer not null,
  state integer not null default 0,
  primary key (url, walk)
) strict, without rowid;
create index listing_open on listing (walk, ordinal) where state = 0;

create table page (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  project integer not null,
  url text not null,
  pinned integer not null,
  version integer not null,
  fetched_at text not null,
  content_hash text not null,
  pipeline text not null,
  etag text,
  last_modified text,
  title text not null,
  language text,
  doc_version text,
  source_type text not null,
  held_by text,
  unique (project, url)
) strict;
create index page_of_project on page (project, uuid);
create index page_by_content on page (project, content_hash);
create index page_pinned on page (project, uuid) where pinned = 1;
create index page_held on page (project, uuid) where held_by is not null;

create table page_content (
  page integer primary key references page (id) on delete cascade,
  body blob not null
) strict;

create table page_source (
  page integer not null references page (id) on delete cascade,
  source integer not null,
  primary key (page, source)
) strict, without rowid;
create index page_source_by_source on page_source (source, page);

-- Versions that no reader sees any more, in the order in which they went.
create table swept (
  id integer primary key autoincrement,
  project integer not null,
  page text not null,
  version integer not null,
  unique (page, version)
) strict;
create index swept_of_project on swept (project, id);

create trigger page_replaced after update of version on page when old.version <> new.version begin
  insert or ignore into swept (project, page, version) values (old.project, old.uuid, old.version);
end;
create trigger page_removed after delete on page begin
  insert or ignore into swept (project, page, version)
    select id, old.uuid, old.version from project where id = old.project;
end;

create table recrawl (
  uuid text primary key,
  team text not null,
  project integer not null,
  url text not null,
  status text not null,
  reason text,
  detail text,
  message text,
  created_at text not null,
  finished_at text,
  claims integer not null default 0
) strict;
create index recrawl_of_project on recrawl (project, created_at, uuid);
create index recrawl_live on recrawl (created_at, uuid) where status in ('queued', 'running');
create index recrawl_live_of_project on recrawl (project, url) where status in ('queued', 'running');

create table vocabulary (
  project integer primary key,
  version integer not null,
  terms blob not null
) strict;

create table analytics_event (
  uuid text primary key,
  team text not null,
  project integer not null,
  kind text not null,
  at text not null,
  query text,
  url text,
  name text,
  number integer
) strict;
create index analytics_event_by_time on analytics_event (project, at, uuid);
${countTables('analytics', 'integer')}
create table text_vector (
  model text not null,
  hash text not null,
  used_at text not null,
  vector blob not null,
  primary key (model, hash)
) strict;
create index text_vector_by_use on text_vector (used_at);

-- Deleted projects and sources, and ended runs, whose rows in other tables are still to be deleted.
create table remains (
  kind text not null,
  owner integer not null,
  primary key (kind, owner)
) strict, without rowid;
`

/** `chats.db`: chats and limits. A project is named by its uuid, because its row is in the other file. */
export const chatSchema = `
create table chat (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  project text not null,
  created_at text not null,
  updated_at text not null,
  title text not null,
  email text,
  metadata text,
  url text,
  message_count integer not null,
  connection text,
  writer text,
  written_at text not null
) strict;
create index chat_of_project on chat (project, created_at, uuid);
create index chat_by_change on chat (project, updated_at, uuid);
create index chat_by_email on chat (project, email) where email is not null;

create table chat_message (
  id integer primary key,
  uuid text not null unique,
  chat integer not null references chat (id) on delete cascade,
  position integer not null,
  role text not null,
  content text not null,
  created_at text not null,
  sources text not null,
  feedback integer,
  comment text,
  incomplete integer not null,
  stop_reason text,
  continuation_count integer not null,
  continuation_available integer not null,
  revision integer not null,
  unique (chat, position)
) strict;

create table chat_trace (
  message integer primary key references chat_message (id) on delete cascade,
  body text not null
) strict;
${countTables('chat', 'text')}
-- Keys are hashes: no raw address. Times are milliseconds since 1970.
create table limit_window (
  key text primary key,
  count integer not null,
  ends_at integer not null
) strict, without rowid;

create table limit_block (
  key text primary key,
  until integer not null
) strict, without rowid;
`
