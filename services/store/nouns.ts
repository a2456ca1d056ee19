// Assembles the nouns that are written once, on the rows and the journal of a driver.
import { addressTable, createAddresses } from './address.ts'
import { createFrontier, listingTable } from './frontier-store.ts'
import type { Journal } from './journal.ts'
import { createPageRows, pageTable, sweptTable } from './page-rows.ts'
import { createPages, type PageTexts } from './page-store.ts'
import { createProjects, createVocabulary, projectTable, vocabularyTable } from './project.ts'
import { createRecrawls, recrawlTable } from './recrawl.ts'
import type { AnyTable, Rows, Table } from './rows.ts'
import { createLiveRuns, createRunCleanup, createRuns, eventTable, runTable } from './run-store.ts'
import { createSources, sourceTable } from './source.ts'
import * as team from './team.ts'
import { createVectors, vectorTable } from './vector.ts'

/** The tables that batches of the journal write, except `projects`. */
export const journalTables: AnyTable[] = [
  ...[sourceTable, recrawlTable, runTable, eventTable, listingTable, addressTable, pageTable, sweptTable],
]

/** Tables of the other nouns of the main database. */
export const plainTables: AnyTable[] = [
  ...[team.teamTable, team.keyTable, team.memberTable, team.invitationTable, vocabularyTable, vectorTable],
]

interface Tables {
  rows<Row extends { uuid: string }>(table: Table<Row>): Rows<Row>
  journal: Journal
}

export interface Driver extends Tables {
  texts: PageTexts
  removeProject(uuid: string): Promise<boolean>
  /** Schedules the deletion of what ended runs leave. */
  cleanUp(): void
}

export function createNouns({ rows, journal, texts, removeProject, cleanUp }: Driver) {
  const [runs, events, listings] = [rows(runTable), rows(eventTable), rows(listingTable)]
  const [sources, addresses] = [rows(sourceTable), rows(addressTable)]
  const live = createLiveRuns(runs, events, journal)
  const pages = createPageRows({ pages: rows(pageTable), sources, addresses }, journal)
  return {
    teams: team.createTeams(rows(team.teamTable)),
    keys: team.createKeys(rows(team.keyTable)),
    members: team.createMembers(rows(team.memberTable)),
    invitations: team.createInvitations(rows(team.invitationTable)),
    projects: createProjects(rows(projectTable), removeProject),
    sources: createSources(sources, pages, journal),
    runs: createRuns(runs, events, journal, live, cleanUp),
    frontier: createFrontier(addresses, listings, journal, live),
    addresses: createAddresses(addresses, journal, live, pages.indexedUrls),
    pages: createPages(pages, rows(sweptTable), texts, journal, live),
    recrawls: createRecrawls(rows(recrawlTable), journal),
    vocabulary: createVocabulary(rows(vocabularyTable)),
    vectors: createVectors(rows(vectorTable)),
  }
}

/** Functions that delete what ended runs and deleted sources leave. */
export function createClearing({ rows, journal }: Tables) {
  const tables = { pages: rows(pageTable), sources: rows(sourceTable), addresses: rows(addressTable) }
  return {
    clearEndedRuns: createRunCleanup(rows(runTable), rows(eventTable), rows(listingTable)),
    clearDeletedSources: createPageRows(tables, journal).clearDeletedSources,
  }
}
