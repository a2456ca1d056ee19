// The table of REST v2: one row an operation, by noun.
import type { Row } from './rest-row.ts'
import { analyticsRows } from './rest-v2/analytics.ts'
import { chatRows } from './rest-v2/chats.ts'
import { projectRows } from './rest-v2/projects.ts'
import { searchRows } from './rest-v2/search.ts'
import { sourceRows } from './rest-v2/sources.ts'
import { syncRows } from './rest-v2/sync.ts'
import { teamRows } from './rest-v2/team.ts'

export const restV2: Row[] = [
  ...projectRows,
  ...sourceRows,
  ...syncRows,
  ...searchRows,
  ...chatRows,
  ...analyticsRows,
  ...teamRows,
]
