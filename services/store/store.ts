// The store port: the operations of the product on its data. Rows are plain objects.
//
// Order, time and identity come from the caller: drivers make no uuid, no clock reading and no random number.
// Missing is null. The one error thrown on purpose is Conflict (errors.ts), where a unique value is taken.
// Every write can be repeated with the same arguments and the same end: to insert the same uuid again changes nothing. Each
// invariant lives in one row that changes by compare-and-set, so that a driver needs no transaction over several rows for
// correctness. An update writes where the stored revision is the row's revision - 1, else it answers false; a deletion answers
// false where there was nothing to delete.
// Every row carries its team. What belongs to a project or a source is out of every answer as soon as that is gone, and
// writing to one that is gone writes nothing. Only `publish` and `settle` promise that a batch is written together.

import type { AddressStore } from './address.ts'
import type { AnalyticsStore } from './analytics.ts'
import type { BlobStore } from './blob.ts'
import type { ChatStore } from './chat.ts'
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
  /** Resolves when the store answers; rejects with the cause otherwise. */
  ping(): Promise<void>
  close(): Promise<void>
}
