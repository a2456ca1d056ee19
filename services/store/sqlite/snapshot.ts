// Copies the database files while another process writes to them.
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Copies the database files of the data folder into `folder`, which is created anew. Each copy is one consistent transaction.
 * Uploaded files never change, so the copy links their folder.
 */
export async function copyDatabases(data: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  // Chats last: chats of a project that was created in between are ignored.
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
