// Schema version 3: projects that keep chats for a number of days are found without reading all of them.

export const retention = `
create index project_retaining on project (uuid) where config ->> '$.retentionDays' is not null;
`
