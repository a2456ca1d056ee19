// A copy of the database files as they are at one moment, made while another process writes to them.
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Copies the files of the data folder into `folder`, which is made anew; uploaded files are linked, since no file of them ever
 * changes. A reader of the copy sees each file as of one transaction.
 */
export async function copyDatabases(data: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  // Chats last: a project whose chats are copied is there, or was made since and is left out with them.
  for (const name of ['lectern.db', 'chats.db']) {
    if (!existsSync(join(data, name))) continue
    const db = new DatabaseSync(join(data, name), { readOnly: true })
    try {
      db.prepare('vacuum into ?').run(join(folder, name))
    } finally {
      db.close()
    }
  }
  await symlink(resolve(data, 'blobs'), join(folder, 'blobs'))
}
