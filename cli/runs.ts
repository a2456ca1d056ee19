// `lectern sync`, `pages`, `events`, `recrawl` and `cancel`.
import { setTimeout as delay } from 'node:timers/promises'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { enumName, enumNumber } from '../gateway/json/write.ts'
import { ListPagesResponseSchema, PageDetailSchema, PageStatusSchema } from '../gen/lectern/v1/page_pb.js'
import {
  DropReasonSchema,
  RecrawlSchema,
  RecrawlStatus,
  RecrawlStatusSchema,
} from '../gen/lectern/v1/recrawl_pb.js'
import {
  EventLevelSchema,
  EventTypeSchema,
  ListSyncEventsResponseSchema,
  RunStatus,
  RunTrigger,
  SyncRunSchema,
  type SyncSummary,
  SyncSummarySchema,
} from '../gen/lectern/v1/sync_pb.js'
import type { CoreClient } from './client.ts'
import { type PrintOptions, printJson, printLine, printList, withoutControls } from './print.ts'
import { describeFailedSources, followSync } from './progress.ts'

const pollMs = 250

interface SyncOptions extends PrintOptions {
  wait?: boolean
}

/** With `wait`, sets exit code 1 when the run did not complete or could not read a source. */
export async function sync(client: CoreClient, slug: string, { wait, json }: SyncOptions): Promise<void> {
  const { run } = await client.syncs.startSync({ slug, trigger: RunTrigger.CLI })
  if (!run) return
  if (!wait) return printRun(run, json)
  const ended = await followSync(client.syncs.watchSync({ slug, syncUuid: run.uuid }), process.stderr)
  if (ended && json) printJson(SyncRunSchema, ended)
  if (ended?.status === RunStatus.COMPLETED && ended.sourcesFailed === 0) return
  process.exitCode = 1
  if (!ended?.sourcesFailed) return
  process.stderr.write(`${withoutControls(await describeFailedSources(client.sources, slug))}\n`)
}

function printRun(run: SyncSummary, json = false): void {
  if (json) printJson(SyncSummarySchema, run)
  else printLine(`Sync ${run.uuid} is ${RunStatus[run.status].toLowerCase()}.`)
}

interface PageOptions extends PrintOptions {
  limit: number
  prefix?: string
  status?: string
  reason?: string
  source?: string
}

/** Lists addresses, or explains the given one. */
export async function pages(
  client: CoreClient,
  slug: string,
  address: string | undefined,
  options: PageOptions,
): Promise<void> {
  if (address !== undefined) return explain(client, slug, address, options)
  const { prefix = '', status, reason = '', source = '' } = options
  const wanted = {
    ...{ slug, url: prefix, reason, sourceUuid: source },
    ...(status && { status: enumNumber(PageStatusSchema, status)! }),
  }
  await printList(options, {
    head: ['STATUS', 'REASON', 'SECTIONS', 'URL'],
    schema: ListPagesResponseSchema,
    read: (page) => client.pages.listPages({ ...wanted, ...page }),
    toRow: (page) => [
      enumName(PageStatusSchema, page.status) ?? '',
      page.reason ?? '',
      String(page.sections),
      page.url,
    ],
  })
}

async function explain(client: CoreClient, slug: string, url: string, { json }: PrintOptions): Promise<void> {
  const { page } = await client.pages.lookupPage({ slug, url })
  if (!page) return
  if (json) return printJson(PageDetailSchema, page)
  printLine(`${enumName(PageStatusSchema, page.status)}  ${page.url}`)
  printLine(page.explanation)
  for (const { title, url, characters } of page.sections) printLine(`  ${title} (${characters})  ${url}`)
  for (const from of page.linkedFrom) printLine(`Linked from ${from}`)
}

interface EventOptions extends PrintOptions {
  limit: number
  run?: string
  level?: string
  type?: string
  url?: string
  reason?: string
  source?: string
}

export async function events(client: CoreClient, slug: string, options: EventOptions): Promise<void> {
  const { level, type, url = '', reason = '', source = '' } = options
  const syncUuid = options.run ?? (await client.syncs.getLatestSync({ slug })).run!.uuid
  const wanted = {
    ...{ slug, syncUuid, url, reason, sourceUuid: source },
    ...(level && { level: enumNumber(EventLevelSchema, level)! }),
    ...(type && { type: enumNumber(EventTypeSchema, type)! }),
  }
  await printList(options, {
    head: ['TIME', 'LEVEL', 'TYPE', 'REASON', 'MESSAGE', 'URL'],
    schema: ListSyncEventsResponseSchema,
    read: (page) => client.syncs.listSyncEvents({ ...wanted, ...page }),
    toRow: (event) => [
      event.at ? timestampDate(event.at).toISOString() : '',
      enumName(EventLevelSchema, event.level) ?? '',
      enumName(EventTypeSchema, event.type) ?? '',
      ...[event.reason ?? '', event.message, event.url ?? ''],
    ],
  })
}

/** Sets exit code 1 when the recrawl was dropped. */
export async function recrawl(
  client: CoreClient,
  slug: string,
  url: string,
  { wait, json }: PrintOptions & { wait?: boolean },
): Promise<void> {
  const { uuid } = await client.recrawls.startRecrawl({ slug, url })
  for (;;) {
    const { recrawl: state } = await client.recrawls.getRecrawl({ slug, recrawlUuid: uuid })
    if (!state) return
    const isLive = state.status === RecrawlStatus.QUEUED || state.status === RecrawlStatus.RUNNING
    if (wait && isLive) {
      await delay(pollMs)
      continue
    }
    if (state.status === RecrawlStatus.DROPPED) process.exitCode = 1
    if (json) return printJson(RecrawlSchema, state)
    const reason = state.detail ?? (state.reason && enumName(DropReasonSchema, state.reason))
    const why = reason ? ` (${reason})` : ''
    printLine(`Recrawl ${uuid} is ${enumName(RecrawlStatusSchema, state.status)}${why}.`)
    if (state.message) printLine(state.message)
    return
  }
}

/** Cancels the latest run if none is given. */
export async function cancel(
  client: CoreClient,
  slug: string,
  run: string | undefined,
  { json }: PrintOptions,
): Promise<void> {
  const syncUuid = run ?? (await client.syncs.getLatestSync({ slug })).run!.uuid
  const { run: cancelled } = await client.syncs.cancelSync({ slug, syncUuid })
  if (cancelled) printRun(cancelled, json)
}
