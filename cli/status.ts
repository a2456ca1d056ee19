// `lectern status`: version, drivers, models and projects.
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type ProjectStatus, StatusSchema } from '../gen/lectern/v1/status_pb.js'
import { RunStatus } from '../gen/lectern/v1/sync_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printTable } from './print.ts'

/** Sets exit code 1 when a driver does not answer. */
export async function status(client: CoreClient, { json }: PrintOptions): Promise<void> {
  const { status: first } = await client.status.getStatus({})
  if (!first) return
  while (first.projects.length < first.projectCount) {
    const { status: next } = await client.status.getStatus({ offset: first.projects.length })
    if (!next?.projects.length) break
    first.projects.push(...next.projects)
  }
  if (first.drivers.some(({ available }) => !available)) process.exitCode = 1
  if (json) return printJson(StatusSchema, first)
  printLine(`Lectern ${first.version}`)
  for (const { port, driver, available } of first.drivers)
    printLine(`${port.padEnd(10)} ${driver}${available ? '' : ': does not answer'}`)
  printLine(`model      ${first.model}`)
  printLine(`embedding  ${first.embeddingModel ?? 'off'}`)
  if (first.projects.length === 0) return
  printLine('')
  printTable(['SLUG', 'PAGES', 'EMBEDDED', 'LAST SYNC', 'NEXT SYNC'], first.projects.map(toRow))
  for (const { slug, failedSources } of first.projects)
    for (const { name, lastError } of failedSources)
      printLine(`${slug}: ${lastError.startsWith(name) ? '' : `${name}: `}${lastError}`)
}

function toRow({ slug, pageCount, embedding, lastSync, nextSyncAt }: ProjectStatus): string[] {
  const embedded = embedding ? `${embedding.done} of ${embedding.total}` : 'off'
  const last = lastSync ? RunStatus[lastSync.status].toLowerCase() : 'never'
  const next = nextSyncAt ? timestampDate(nextSyncAt).toISOString() : 'not scheduled'
  return [slug, String(pageCount), embedded, last, next]
}
