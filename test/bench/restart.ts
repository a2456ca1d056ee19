// From the start of the process to the first search answer, with both manuals indexed, against a bare Node process
// that answers one request.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type LecternProcess, startLectern } from '../e2e/lectern-process.ts'
import type { BenchOptions } from './bench-options.ts'
import { addProject, openLectern, search, sync } from './lectern.ts'
import type { Table } from './report.ts'
import { largeManuals } from './site/manuals.ts'
import { openManualSite } from './site/open-site.ts'
import { median } from './statistics.ts'

const bareServer = `require('http').createServer((_, response) => response.end('ok'))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export async function measureRestart({ rounds }: BenchOptions): Promise<Table[]> {
  let lectern = await openIndexed()
  const lecternTimes: number[] = []
  const bareTimes: number[] = []
  try {
    for (let round = 0; round < Math.max(rounds, 5); round++) {
      await lectern.kill('SIGTERM')
      const start = performance.now()
      lectern = await startLectern({ data: lectern.data })
      const urls = await search(lectern, largeManuals[0]!.name, 'subprocess timeout', 10)
      lecternTimes.push(performance.now() - start)
      if (urls.length === 0) throw new Error('the restarted Lectern finds nothing')
      bareTimes.push(await timeBareNode())
    }
  } finally {
    await lectern.remove()
  }
  const [ours, bare] = [median(lecternTimes), median(bareTimes)]
  const rows = [
    { process: 'bare node:http', 'ms to first answer': bare, 'Lectern ×': ours / bare },
    { process: 'Lectern, both manuals indexed', 'ms to first answer': ours, 'Lectern ×': 1 },
  ]
  return [{ title: 'Restart: start of the process to the first search answer', rows }]
}

async function openIndexed(): Promise<LecternProcess> {
  const lectern = await openLectern()
  const site = await openManualSite()
  try {
    for (const { name } of largeManuals) {
      await addProject(lectern, name, { url: `${site.origin}/${name}/index.html`, include: ['**.html'] })
      await sync(lectern, name)
    }
  } finally {
    await site.close()
  }
  return lectern
}

async function timeBareNode(): Promise<number> {
  const start = performance.now()
  const child: ChildProcess = spawn(process.execPath, ['-e', bareServer])
  try {
    for await (const port of createInterface({ input: child.stdout! })) {
      await (await fetch(`http://127.0.0.1:${port}/`)).text()
      break
    }
    return performance.now() - start
  } finally {
    child.kill()
  }
}
