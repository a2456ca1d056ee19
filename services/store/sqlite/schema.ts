// The tables of both database files. A child row names its parent by the row id: once the row of a project or a source is
// deleted, no query finds its children any more. Cleanup deletes them later in small steps (cleanup.ts).
import { analyticsSchema } from './analytics.ts'
import { chatTables } from './chat.ts'
import { cleanupSchema } from './cleanup.ts'
import { frontierSchema } from './frontier.ts'
import { limitSchema } from './limit.ts'
import { pageSchema } from './page.ts'
import { projectSchema } from './project.ts'
import { recrawlSchema } from './recrawl.ts'
import { runSchema } from './run.ts'
import { sourceSchema } from './source.ts'
import { teamSchema } from './team.ts'
import { vectorSchema } from './vector.ts'

/** `lectern.db`: everything but chats and limits. */
export const mainSchema = [
  ...[teamSchema, projectSchema, sourceSchema, runSchema, frontierSchema, pageSchema, recrawlSchema],
  ...[analyticsSchema, vectorSchema, cleanupSchema],
].join('')

/** `chats.db`: chats and limits. */
export const chatSchema = chatTables + limitSchema
