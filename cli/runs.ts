// `lectern sync`, `pages`, `events`, `recrawl` and `cancel`.
import { setTimeout as delay } from 'node:timers/promises'
import { enumNames } from '../gateway/json/write.ts'
import { PageService, PageStatusSchema } from '../gen/lectern/v1/page_pb.js'
import { RecrawlService } from '../gen/lectern/v1/recrawl_pb.js'
import { EventLevelSchema, EventTypeSchema, SyncService } from '../gen/lectern/v1/sync_pb.js'
import type { CliClient, JsonObject } from './client.ts'
import { type Command, json, limit, list, type Options, oneOf, option, readAddress } from './command.ts'
import { printJson, printLine } from './print.ts'
import { syncToEnd } from './progress.ts'

const { method } = SyncService
const pollMs = 250

/** With `wait`, sets exit code 1 if the run did not complete or could not read a source. */
export async function sync(core: CliClient, slug: string, { wait, json }: Options): Promise<void> {
  if (!wait) return printRun(await core.call(method.startSync, { slug, trigger: 'cli' }), json)
  const ended = await syncToEnd(core, slug, process.stderr)
  if (ended && json) printJson(ended)
  if (ended?.status !== 'completed' || ended.sources_failed > 0) process.exitCode = 1
}

function printRun(run: JsonObject, json = false): void {
  if (json) printJson(run)
  else printLine(`Sync ${run.uuid} is ${run.status}.`)
}

async function explain(core: CliClient, slug: string, url: string, { json }: Options): Promise<void> {
  const page = await core.call(PageService.method.lookupPage, { slug, url })
  if (json) return printJson(page)
  printLine(`${page.status}  ${page.url}`)
  printLine(page.explanation)
  for (const { title, url, characters } of page.sections) printLine(`  ${title} (${characters})  ${url}`)
  for (const from of page.linked_from) printLine(`Linked from ${from}`)
}

const listPages = list(
  PageService.method.listPages,
  ['slug'],
  { STATUS: 'status', REASON: 'reason', SECTIONS: 'sections', URL: 'url' },
  { prefix: 'url', source: 'source_uuid' },
)

const listEvents = list(
  method.listSyncEvents,
  ['slug'],
  { TIME: 'at', LEVEL: 'level', TYPE: 'type', REASON: 'reason', MESSAGE: 'message', URL: 'url' },
  { run: 'sync_uuid', source: 'source_uuid' },
)

async function findRun(core: CliClient, slug: string, run: string | undefined): Promise<string> {
  return run ?? (await core.call(method.getLatestSync, { slug })).uuid
}

/** Sets exit code 1 if the recrawl was dropped. */
async function recrawl(core: CliClient, slug: string, url: string, { wait, json }: Options): Promise<void> {
  const { startRecrawl, getRecrawl } = RecrawlService.method
  const { uuid } = await core.call(startRecrawl, { slug, url })
  const read = () => core.call(getRecrawl, { slug, recrawl_uuid: uuid })
  let state = await read()
  while (wait && ['queued', 'running'].includes(state.status)) {
    await delay(pollMs)
    state = await read()
  }
  if (state.status === 'dropped') process.exitCode = 1
  if (json) return printJson(state)
  const reason = state.detail ?? state.reason
  printLine(`Recrawl ${uuid} is ${state.status}${reason ? ` (${reason})` : ''}.`)
  if (state.message) printLine(state.message)
}

export const runCommands: Command[] = [
  {
    usage: 'sync <slug>',
    about: 'start a sync of a project',
    options: [option('-w, --wait', 'follow it until it ends; fails unless it completes'), json],
    run: sync,
  },
  {
    usage: 'pages <slug> [address]',
    about: 'list the addresses of a project with their outcome, or explain one',
    arguments: { address: ['the address to explain', readAddress] },
    options: [
      option('--prefix <url>', 'only addresses that begin with it'),
      oneOf(
        '--status <status>',
        'only this status',
        enumNames(PageStatusSchema).filter((name) => name !== 'unknown'),
      ),
      option('--reason <reason>', 'only this reason, such as robots or http_4xx'),
      option('--source <uuid>', 'only addresses of this source'),
      limit('rows', 100),
      json,
    ],
    run: (core, slug, address, options) =>
      address === undefined ? listPages(core, slug, options) : explain(core, slug, address, options),
  },
  {
    usage: 'events <slug>',
    about: 'print the event log of a run',
    options: [
      option('--run <uuid>', 'the run; the latest if left out'),
      oneOf('--level <level>', 'only this level', enumNames(EventLevelSchema)),
      oneOf('--type <type>', 'only this type', enumNames(EventTypeSchema)),
      option('--url <url>', 'only this address'),
      option('--reason <reason>', 'only this reason'),
      option('--source <uuid>', 'only this source'),
      limit('rows', 100),
      json,
    ],
    run: async (core, slug, options) =>
      listEvents(core, slug, { ...options, run: await findRun(core, slug, options.run) }),
  },
  {
    usage: 'recrawl <slug> <url>',
    about: 'read one page again',
    arguments: { url: ['address of the page', readAddress] },
    options: [option('-w, --wait', 'wait for the outcome; fails when the page is dropped'), json],
    run: recrawl,
  },
  {
    usage: 'cancel <slug> [run]',
    about: 'cancel a run',
    arguments: { run: ['UUID of the run; the latest if left out'] },
    options: [json],
    async run(core, slug, given, options) {
      const run = await findRun(core, slug, given)
      printRun(await core.call(method.cancelSync, { slug, sync_uuid: run }), options.json)
    },
  },
]
