// Resident memory of a running Lectern with one manual of 200 pages: a minute after its crawl, and after a restart; without an
// embedding model, and with the local one.
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type LecternProcess, startLectern } from '../e2e/lectern-process.ts'
import { weightsSettings } from '../model/weights.ts'
import { addManual, embedded, openLectern, search, sync } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { largeManuals } from './site/manuals.ts'
import { openManualSite } from './site/open-site.ts'

const pages = 200
const restMs = 60_000
const [manual] = largeManuals

export async function measureMemory(): Promise<Table[]> {
  const off = await measure('off', {})
  const local = await measure('local', weightsSettings)
  return [
    {
      title: `Resident memory with ${pages} pages of the manual ${manual.name}: MB of 2^20 bytes`,
      rows: [off, local],
    },
    {
      title: 'Memory: targets',
      rows: [
        toTarget('MB a minute after the crawl, no model', off['a minute after the crawl'], '≤', 220),
        toTarget('MB a minute after the crawl, local model', local['a minute after the crawl'], '≤', 420),
      ],
    },
  ]
}

async function measure(embeddings: string, settings: Record<string, string>) {
  const env = { ...settings, LECTERN_PAGE_LIMIT: String(pages) }
  const site = await openManualSite()
  let lectern = await openLectern({ env })
  try {
    await addManual(lectern, manual, site.origin)
    const { peak } = await sync(lectern, manual.name)
    const rest = async () => {
      if (embeddings !== 'off') await embedded(lectern, manual.name)
      await ask(lectern)
      await delay(restMs)
      return readResident(lectern)
    }
    const crawled = await rest()
    await lectern.kill('SIGTERM')
    lectern = await startLectern({ env, data: lectern.data })
    const restarted = await rest()
    return { embeddings, 'peak of the crawl': peak, 'a minute after the crawl': crawled, restarted }
  } finally {
    await lectern.remove()
    await site.close()
  }
}

async function ask(lectern: LecternProcess) {
  for (let at = 0; at < 50; at++) await search(lectern, manual.name, `how do I do what is number ${at}`, 10)
}

async function readResident({ process }: LecternProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024
}
