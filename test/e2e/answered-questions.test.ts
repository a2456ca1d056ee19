// Which questions a small project answers, points to or refuses, with keywords only and with the embedding model.
// Plain questions in the words of the pages are answered, even if the answer is a single sentence.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, createCliClient } from '../../cli/client.ts'
import { readOutcome } from '../../cli/evaluate.ts'
import { readConfig } from '../../services/config.ts'
import { embedded } from '../bench/lectern.ts'
import { weightsSettings, withoutWeights } from '../model/weights.ts'
import { adminKey, type LecternProcess, startLectern, syncToEnd } from './lectern-process.ts'
import { openSite } from './site.ts'

const page = (title: string, ...parts: string[]) =>
  `<title>${title}</title><main><h1>${title}</h1>${parts.join('')}</main>`
const section = (heading: string, text: string) => `<h2>${heading}</h2><p>${text}</p>`

const pages = {
  '/': page(
    'Quillon',
    '<p>Quillon keeps ledgers for lighthouses. It is made by a guild of forty engineers.</p>',
    '<ul><li><a href="/build">Building</a><li><a href="/backups">Backups</a><li><a href="/ledgers">Ledgers</a></ul>',
  ),
  '/build': page(
    'Building Quillon',
    section('Requirements', 'The build needs four gigabytes of memory and a compiler of this decade.'),
    section('Running the tests', 'Run <code>quill test</code>. The tests take under a minute.'),
    section('Cross-compiling', 'Set QUILL_TARGET to the name of the target before the build starts.'),
  ),
  '/backups': page(
    'Backups',
    section(
      'Schedule',
      'A backup is made every night at two. The janitor prunes backups older than ninety days.',
    ),
    section(
      'Restoring',
      'To restore a ledger, stop the keeper and run <code>quill restore</code> with a date.',
    ),
    section(
      'Encryption',
      'Backups are encrypted with the key of the lighthouse. Without it nobody can read them.',
    ),
  ),
  '/ledgers': page(
    'Ledgers',
    section('Names', 'A ledger name has at most 48 letters. It begins with a letter.'),
    section('Rollback', 'A rollback returns a ledger to an earlier entry and takes under a minute.'),
    section('Payloads', 'An entry carries a payload of at most 512 kilobytes.'),
    section(
      'Sharing',
      'Give another keeper access with <code>quill share</code> and take it back with <code>quill unshare</code>.',
    ),
  ),
}

const answerable = [
  'How much memory does the build need?',
  'How many gigabytes does the build need?',
  'How long do the tests take?',
  'What does QUILL_TARGET do?',
  'When is a backup made?',
  'How long are backups kept before the janitor prunes them?',
  'How do I restore a ledger?',
  'Are backups encrypted?',
  'How long does a rollback take?',
  'How large may a payload be?',
  'How do I give another keeper access?',
  'How many engineers make Quillon?',
]
/** Half of their words occur on no page, so only meaning finds the answer. */
const byMeaning = ['What is the maximum length of a ledger name?', 'Which hardware do I need to compile it?']
const strange = [
  'Can my dog eat grapes?',
  'What is the capital of France?',
  'Who won the world cup in 1990?',
  'How do I configure Kubernetes autoscaling?',
  'How do I bake sourdough bread with rye?',
]

const site = await openSite(pages)
afterAll(() => site.close())

describe.each([
  ['by keywords only', {} as Partial<typeof weightsSettings>, false],
  ['with the embedding model', weightsSettings, withoutWeights],
] as const)('%s', (_name, env, isSkipped) => {
  let lectern: LecternProcess

  async function ask(question: string): Promise<string | null> {
    const config = readConfig({ LECTERN_GRPC: lectern.grpc, LECTERN_API_KEY: adminKey })
    const client = createCliClient(await connect(config))
    return (await readOutcome(client, 'quillon', { question, pages: [] }, false)).answered
  }

  beforeAll(async () => {
    if (isSkipped) return
    lectern = await startLectern({ env })
    await lectern.call('POST', '/api/v2/projects/', { name: 'Quillon', slug: 'quillon' })
    await lectern.call('POST', '/api/v2/projects/quillon/sources/', { type: 'site', url: site.url })
    await syncToEnd(lectern, 'quillon')
    if (env.LECTERN_EMBEDDINGS !== undefined) await embedded(lectern, 'quillon')
  })
  afterAll(() => lectern?.remove())

  test
    .skipIf(isSkipped)
    .each([
      ...answerable.map((question) => [question, 'answered']),
      ...(env.LECTERN_EMBEDDINGS === undefined ? [] : byMeaning.map((question) => [question, 'answered'])),
      ...strange.map((question) => [question, 'refused']),
    ])('%s is %s', async (question, outcome) => {
    // A busy machine may need longer than an answer waits for the model.
    await expect.poll(() => ask(question!)).toBe(outcome)
  })
})
