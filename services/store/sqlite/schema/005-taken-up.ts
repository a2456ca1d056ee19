// Schema version 5: how often work was taken up, so that what ends its process each time is given up.

export const takenUp = `
-- place: where the run stood when it was taken up last.
alter table run add column taken_up integer not null default 0;
alter table run add column place text not null default '';
alter table recrawl add column taken_up integer not null default 0;
`
