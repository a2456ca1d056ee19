// Workflows that started before a change continue after it: histories recorded on a real Temporal
// (test/servers/temporal-histories.ts) are replayed with the current workflows.
import { readdir, readFile } from 'node:fs/promises'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { expect, test } from 'vitest'
import { toHistory } from '../../test/servers/recorded-history.ts'
import { openWorkflowBundle } from './bundle.ts'

const folder = new URL('../../test/fixtures/temporal/', import.meta.url)

async function* recorded() {
  for (const file of (await readdir(folder)).sort()) {
    const history = toHistory(JSON.parse(await readFile(new URL(file, folder), 'utf8')))
    yield { workflowId: file.replace('.json', ''), history }
  }
}

test('replays recorded histories to their end', async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
  const results: Record<string, string> = {}
  const options = { workflowBundle: await openWorkflowBundle() }
  for await (const { workflowId, error } of Worker.runReplayHistories(options, recorded())) {
    results[workflowId] = error === undefined ? 'replayed' : String(error)
  }
  expect(results).toEqual(
    Object.fromEntries(
      [
        ...['drop', 'recrawl', 'recrawl-cancelled', 'scheduled-sync', 'sweep'],
        ...[
          'sync-cancelled',
          'sync-completed',
          'sync-ended',
          'sync-failed',
          'sync-handed-over',
          'sync-sources',
        ],
      ].map((name) => [name, 'replayed']),
    ),
  )
})
