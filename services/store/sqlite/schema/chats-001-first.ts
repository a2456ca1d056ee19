// Schema version 1 of the chats' file: chats with their messages and traces, and limits of messages. A project is named by
// its uuid: its row is in the other file.

export const firstChats = `
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
