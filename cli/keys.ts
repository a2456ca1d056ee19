// `lectern keys`: lists, creates and deletes API keys.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ListKeysResponseSchema, NewKeySchema } from '../gen/lectern/v1/key_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printTable } from './print.ts'

const atOnce = 100

export async function listKeys(client: CoreClient, { json }: PrintOptions): Promise<void> {
  const rows: string[][] = []
  for (let offset = 0; ; offset += atOnce) {
    const page = await client.keys.listKeys({ limit: atOnce, offset })
    if (json) printJson(ListKeysResponseSchema, page)
    for (const { uuid, name, projects, permissions, expiresAt } of page.results) {
      const expiry = expiresAt ? timestampDate(expiresAt).toISOString() : 'never'
      rows.push([uuid, name, projects?.slugs.join(',') ?? 'all', expiry, permissions.join(',')])
    }
    if (offset + atOnce >= page.count) break
  }
  if (!json) printTable(['UUID', 'NAME', 'PROJECTS', 'EXPIRES', 'PERMISSIONS'], rows)
}

export async function createKey(
  client: CoreClient,
  name: string,
  permissions: string[],
  options: PrintOptions & { project?: string[]; expires?: Date },
): Promise<void> {
  const { key } = await client.keys.createKey({
    name,
    permissions,
    ...(options.project && { projects: { slugs: options.project } }),
    ...(options.expires && { expiresAt: timestampFromDate(options.expires) }),
  })
  if (!key) return
  if (options.json) return printJson(NewKeySchema, key)
  printLine(key.key)
  process.stderr.write('This is the only time that the key is shown.\n')
}

export async function deleteKey(client: CoreClient, uuid: string): Promise<void> {
  await client.keys.deleteKey({ keyUuid: uuid })
  printLine(`Key ${uuid} is gone.`)
}
