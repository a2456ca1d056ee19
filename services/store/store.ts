// The store port: the operations of the product on its data. Rows are plain objects.
//
// UUIDs, times and random values come from the caller.
// Missing values are null. The only expected error is Conflict (errors.ts), if a unique value is taken.
// All writes are idempotent: inserting a uuid again changes nothing. An invariant is kept in one row that changes by compare-and-set,
// or by batches of the project's journal (journal.ts). An update writes only if the stored revision is the row's revision - 1, and
// returns false otherwise. A deletion returns false if there is nothing to delete.
// Every row has its team. Deleting a project or a source immediately hides all its rows, and writes to a deleted one do nothing.
// Of the calls with several rows, only `publish` and `settle` are atomic.

import type { AddressStore } from './address.ts'
import type { AnalyticsStore } from './analytics.ts'
import type { BlobStore } from './blob.ts'
import type { ChatStore } from './chat-store.ts'
import type { FrontierStore } from './frontier.ts'
import type { LimitStore } from './limit.ts'
import type { PageStore } from './page.ts'
import type { ProjectStore, VocabularyStore } from './project.ts'
import type { RecrawlStore } from './recrawl.ts'
import type { RunStore } from './run.ts'
import type { SourceStore } from './source.ts'
import type { InvitationStore, KeyStore, MemberStore, TeamStore } from './team.ts'
import type { VectorStore } from './vector.ts'

export interface Store {
  teams: TeamStore
  keys: KeyStore
  members: MemberStore
  invitations: InvitationStore
  projects: ProjectStore
  sources: SourceStore
  runs: RunStore
  frontier: FrontierStore
  addresses: AddressStore
  pages: PageStore
  recrawls: RecrawlStore
  vocabulary: VocabularyStore
  analytics: AnalyticsStore
  chats: ChatStore
  limits: LimitStore
  vectors: VectorStore
  blobs: BlobStore
  /** Resolves if the store responds. Rejects with the cause otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}
