// Schema version 2: a deferred outcome that waits for another page names it.

export const diversion = `
alter table frontier add column target text;
`
