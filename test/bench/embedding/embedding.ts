// The local model: the time per section, the cost for concurrent searches, the memory of the model, and its rate beside fastembed's.
// `--only rate` measures the rate alone, `--only product` all but that.
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type LecternProcess, startLectern } from '../../e2e/lectern-process.ts'
import { weightsSettings } from '../../model/weights.ts'
import type { BenchOptions } from '../bench-options.ts'
import { readSections } from '../corpus/sections.ts'
import {
  emptyTimes,
  type KeystrokeClass,
  type Keystrokes,
  readKeystrokes,
  type Times,
} from '../latency/keystrokes.ts'
import { addManual, openLectern, search, sync } from '../lectern.ts'
import { type Table, toTarget } from '../report.ts'
import { largeManuals } from '../site/manuals.ts'
import { openManualSite } from '../site/open-site.ts'
import { percentile, timed } from '../statistics.ts'
import { readUsage } from '../usage.ts'
import { measureRate } from './rate.ts'

const timedSections = 5_000
const classes: KeystrokeClass[] = ['typing', 'questions']

const manual = largeManuals[1]

export async function measureEmbedding({ rounds, only }: BenchOptions): Promise<Table[]> {
  const isChosen = (part: string) => only.length === 0 || only.includes(part)
  return [
    ...(isChosen('rate') ? await measureRate(manual, rounds) : []),
    ...(isChosen('product') ? await measureProduct(rounds) : []),
  ]
}

async function measureProduct(rounds: number): Promise<Table[]> {
  const site = await openManualSite()
  const keystrokes = readKeystrokes(readSections(manual).map(({ heading, text }) => ({ heading, text })))
  const crawling = await openLectern()
  const { data } = crawling
  let lectern = crawling
  try {
    await addManual(lectern, manual, site.origin)
    await sync(lectern, manual.name)
    const limit = rounds * keystrokes.questions.length
    const ask = (goesOn: () => Promise<boolean>) => askWhile(lectern, manual.name, keystrokes, limit, goesOn)
    const isEmbedding = async () => {
      const { done, total } = await progress(lectern, manual.name)
      return done < total
    }

    await lectern.kill('SIGTERM')
    lectern = await startLectern({ data, env: weightsSettings })
    const first = await embed(lectern, manual.name, timedSections)
    const beside = await ask(isEmbedding)
    while (await isEmbedding()) await delay(500)
    const idle = await ask(async () => true)

    const minutes = (first.seconds / first.sections) * (timedSections / 60)
    const targets = classes.map((kind) =>
      toTarget(`p95 of ${kind} beside embedding, × idle`, p95(beside[kind]) / p95(idle[kind]), '≤', 2),
    )
    return [
      {
        title: `Embedding the manual ${manual.name} with the local model`,
        rows: [
          {
            sections: first.sections,
            s: first.seconds,
            'CPU s': first.cpu,
            'ms a section': (1000 * first.cpu) / first.sections,
          },
        ],
      },
      {
        title: 'Searches beside it: ms',
        rows: classes.map((kind) => ({
          class: kind,
          searches: beside[kind].length,
          'idle median': percentile(idle[kind], 0.5),
          'idle p95': p95(idle[kind]),
          'beside median': percentile(beside[kind], 0.5),
          'beside p95': p95(beside[kind]),
        })),
      },
      {
        title: 'Embedding: targets',
        rows: [
          toTarget(`minutes until ${timedSections} sections have a vector`, minutes, '≤', 1.5),
          toTarget(`minutes until ${timedSections} sections have their final vector`, minutes, '≤', 5),
          ...targets,
          toTarget('memory of the model in a separate process, MB', await measureModel(), '≤', 300),
        ],
        notes: ['A section gets one vector, of all its texts, so its first vector is the final one.'],
      },
    ]
  } finally {
    await lectern.remove()
    await site.close()
  }
}

const p95 = (times: number[]) => percentile(times, 0.95)

/** Waits until this number of sections, or all, have a vector; sends no other requests. */
async function embed(lectern: LecternProcess, slug: string, wanted: number) {
  while ((await progress(lectern, slug)).done === 0) await delay(50)
  const [begin, before] = [await progress(lectern, slug), await readUsage(lectern.process.pid!)]
  const start = performance.now()
  for (;;) {
    await delay(500)
    const { done, total } = await progress(lectern, slug)
    if (done - begin.done < wanted && done < total) continue
    const after = await readUsage(lectern.process.pid!)
    return {
      sections: done - begin.done,
      seconds: (performance.now() - start) / 1000,
      cpu: after.cpu - before.cpu,
    }
  }
}

/** Searches of every class in turn, at most `limit` of each, while `goesOn` returns true. No question twice, because vectors are cached. */
async function askWhile(
  lectern: LecternProcess,
  slug: string,
  keystrokes: Keystrokes,
  limit: number,
  goesOn: () => Promise<boolean>,
): Promise<Times> {
  const times = emptyTimes()
  for (let at = 0; at < limit && (await goesOn()); at++) {
    for (const kind of classes) {
      const query = keystrokes[kind][at % keystrokes[kind].length]!
      asked += 1
      const text = kind === 'questions' ? `${query} (${asked})` : query
      times[kind].push(await timed(() => search(lectern, slug, text, 10)))
    }
  }
  return times
}

let asked = 0

async function progress(lectern: LecternProcess, slug: string): Promise<{ done: number; total: number }> {
  const { body } = await lectern.call('GET', `/api/v2/projects/${slug}/sync/`)
  return body?.embedding ?? { done: 0, total: 1 }
}

/** MB: the runtime, weights, tokenizer and the memory of a batch. */
async function measureModel(): Promise<number> {
  const script = fileURLToPath(new URL('model-memory.ts', import.meta.url))
  const args = ['--disable-warning=ExperimentalWarning', script]
  return Number((await promisify(execFile)(process.execPath, args)).stdout)
}
