// `lectern keys`: lists, creates and deletes API keys.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ListKeysResponseSchema, NewKeySchema } from '../gen/lectern/v1/key_pb.js'
import type { CoreClient } from './client.ts'
import { nearest } from './did-you-mean.ts'
import { describeFields } from './errors.ts'
import { type PrintOptions, printJson, printLine, printList } from './print.ts'

export async function listKeys(client: CoreClient, options: PrintOptions): Promise<void> {
  await printList(options, {
    head: ['UUID', 'NAME', 'PROJECTS', 'EXPIRES', 'PERMISSIONS'],
    schema: ListKeysResponseSchema,
    read: (page) => client.keys.listKeys(page),
    toRow({ uuid, name, projects, permissions, expiresAt }) {
      const expiry = expiresAt ? timestampDate(expiresAt).toISOString() : 'never'
      return [uuid, name, projects?.slugs.join(',') ?? 'all', expiry, permissions.join(',')]
    },
  })
}

export async function createKey(
  client: CoreClient,
  name: string,
  permissions: string[],
  options: PrintOptions & { project?: string[]; expires?: Date },
): Promise<void> {
  const wanted = {
    name,
    permissions,
    ...(options.project && { projects: { slugs: options.project } }),
    ...(options.expires && { expiresAt: timestampFromDate(options.expires) }),
  }
  const { key } = await client.keys.createKey(wanted).catch((error) => {
    throw describeFields(error, (field, problem) => describePermission(permissions, field, problem))
  })
  if (!key) return
  if (options.json) return printJson(NewKeySchema, key)
  printLine(key.key)
  process.stderr.write('This is the only time that the key is shown.\n')
}

export async function deleteKey(client: CoreClient, uuid: string): Promise<void> {
  await client.keys.deleteKey({ keyUuid: uuid })
  printLine(`Deleted key ${uuid}.`)
}

/** `permissions[1] must be one of …` → `permission “serch” is unknown: did you mean search?` */
function describePermission(permissions: string[], field: string, problem: string): string {
  const [, at] = /^permissions\[(\d+)\]$/.exec(field) ?? []
  const given = at === undefined ? undefined : permissions[Number(at)]
  if (given === undefined) return `${field} ${problem}`
  const known = problem.match(/\b[a-z]+_?[a-z]+\b/g) ?? []
  const meant = nearest(given, known)
  return meant === null
    ? `permission “${given}” ${problem}`
    : `permission “${given}” is unknown: did you mean ${meant}?`
}
