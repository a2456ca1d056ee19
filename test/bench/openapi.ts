// Sources of type openapi from the largest real descriptions: the first sync, and one of the same description again.
import { openSite } from '../e2e/site.ts'
import { type DescriptionName, readRealDescription } from '../openapi/real-descriptions.ts'
import type { BenchOptions } from './bench-options.ts'
import { addProject, openLectern, sync } from './lectern.ts'
import { type Table, toTarget } from './report.ts'
import { medianRow } from './statistics.ts'

const names: DescriptionName[] = ['kubernetes.json', 'github.json']

export async function measureOpenapi({ rounds }: BenchOptions): Promise<Table[]> {
  const rows: Table['rows'] = []
  const targets: Table['rows'] = []
  for (const name of names) {
    const runs = []
    for (let round = 0; round < rounds; round++) runs.push(await syncTwice(name))
    const figures = medianRow(runs)
    rows.push({ description: name, ...figures })
    const { operations } = figures
    targets.push(
      toTarget(
        `${name}: first sync, seconds for 1,000 operations`,
        (1_000 * figures['first s']) / operations,
        '≤',
        5,
      ),
      toTarget(`${name}: peak of memory, MB`, figures['peak MB'], '≤', 700),
    )
  }
  return [
    { title: 'API descriptions', rows },
    { title: 'API descriptions: targets', rows: targets },
  ]
}

async function syncTwice(name: DescriptionName) {
  const body = readRealDescription(name)
  const site = await openSite({ [`/${name}`]: (_, response) => response.end(body) })
  const lectern = await openLectern()
  try {
    const url = `${site.url}${name}`
    const checked = await lectern.call('POST', '/api/v2/openapi/validate/', { url })
    await addProject(lectern, 'bench', { type: 'openapi', url })
    const first = await sync(lectern, 'bench')
    const second = await sync(lectern, 'bench')
    return {
      MB: body.length / 2 ** 20,
      operations: checked.body.operations as number,
      pages: first.run.pages.added!,
      'first s': first.seconds,
      'first CPU s': first.cpu,
      'second s': second.seconds,
      'peak MB': second.peak,
    }
  } finally {
    await lectern.remove()
    await site.close()
  }
}
