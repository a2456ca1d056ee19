// Brings a database file to the newest schema. A step that has been released never changes; a new one is appended.
import type { DatabaseSync } from 'node:sqlite'
import { DomainError } from '../../../errors.ts'
import { first } from './001-first.ts'
import { diversion } from './002-diversion.ts'
import { retention } from './003-retention.ts'
import { vectors } from './004-vectors.ts'
import { takenUp } from './005-taken-up.ts'
import { firstChats } from './chats-001-first.ts'

/** Step n takes a database from version n to version n + 1. */
export const steps: readonly string[] = [first, diversion, retention, vectors, takenUp]

/** The same for the file of chats and limits. */
export const chatSteps: readonly string[] = [firstChats]

const versionOf = (db: DatabaseSync): number =>
  (db.prepare('pragma user_version').get() as { user_version: number }).user_version

/**
 * Applies the steps that the file has not seen, each in one transaction with its version number. Safe when several
 * threads open the file at once. Throws DomainError(unavailable) for a file that a newer Lectern has written.
 */
export const migrate = (db: DatabaseSync, to: readonly string[] = steps): void => {
  if (versionOf(db) > to.length)
    throw new DomainError(
      'unavailable',
      `The database is at schema version ${versionOf(db)} and this Lectern knows versions up to ${to.length}: start the newer Lectern that wrote it.`,
    )
  while (versionOf(db) < to.length) {
    db.exec('begin immediate')
    try {
      const version = versionOf(db)
      const step = to[version]
      if (step !== undefined) db.exec(`${step}; pragma user_version = ${version + 1}`)
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }
}
