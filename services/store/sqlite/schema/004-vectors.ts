// Schema version 4: vectors of texts.

export const vectors = `
create table text_vector (
  model text not null,
  hash text not null,
  used_at text not null,
  vector blob not null,
  primary key (model, hash)
) strict;
create index text_vector_by_use on text_vector (used_at);
`
