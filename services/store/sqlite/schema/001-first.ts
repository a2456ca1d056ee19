// Schema version 1. Children name their parent by its row id, so that a project or source whose row is gone has no
// children from that moment on; what they leave behind is cleared in small steps (cleanup.ts).

export const first = `
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

-- live_run and fence are the one place that says who may write: a run is live while live_run names it.
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
  live_run integer,
  page_count integer not null default 0
) strict;
create index project_of_team on project (team, slug);
create unique index project_live on project (live_run) where live_run is not null;
create index project_scheduled on project (uuid) where schedule is not null;

create table source (
  id integer primary key autoincrement,
  uuid text not null unique,
  team text not null,
  project integer not null,
  type text not null,
  name text not null,
  url text not null,
  include text not null,
  exclude text not null,
  max_pages integer,
  max_depth integer,
  resolved_url text,
  credentials text,
  created_at text not null,
  last_crawled_at text,
  revision integer not null,
  page_count integer not null default 0,
  unique (project, type, url)
) strict;
create index source_of_project on source (project, created_at, uuid);

-- The counters change in the transaction that changes the frontier:
-- discovered = added + updated + unchanged + skipped + failed + pending.
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
  supersedes text,
  discovered integer not null default 0,
  pending integer not null default 0,
  fetched integer not null default 0,
  unchanged integer not null default 0,
  added integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  removed integer not null default 0,
  events integer not null default 0
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

-- A source's way through a run. kept: its listings that are not declined and whose URL was added, updated or unchanged.
create table walk (
  id integer primary key,
  run integer not null,
  source text not null,
  listed integer not null default 0,
  kept integer not null default 0,
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

create trigger page_added after insert on page begin
  update project set page_count = page_count + 1 where id = new.project;
end;
create trigger page_replaced after update of version on page when old.version <> new.version begin
  insert or ignore into swept (project, page, version) values (old.project, old.uuid, old.version);
end;
create trigger page_removed after delete on page begin
  update project set page_count = page_count - 1 where id = old.project;
  insert or ignore into swept (project, page, version)
    select id, old.uuid, old.version from project where id = old.project;
end;
create trigger page_source_added after insert on page_source begin
  update source set page_count = page_count + 1 where id = new.source;
end;
create trigger page_source_removed after delete on page_source begin
  update source set page_count = page_count - 1 where id = old.source;
end;

create table recrawl (
  uuid text primary key,
  team text not null,
  project integer not null,
  url text not null,
  status text not null,
  reason text,
  created_at text not null,
  finished_at text
) strict;
create index recrawl_of_project on recrawl (project);
create index recrawl_live on recrawl (created_at, uuid) where status in ('queued', 'running');

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
  number integer
) strict;
create index analytics_event_by_time on analytics_event (project, at, uuid);

-- What a deleted project or source or an ended run has left to clear.
create table remains (
  kind text not null,
  owner integer not null,
  primary key (kind, owner)
) strict, without rowid;
`
