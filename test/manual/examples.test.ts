// Each example of curl in the manual does what its page says: it succeeds, conforms to the description of its
// endpoint, and its response matches the one shown. Each endpoint has an example.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RestRow } from '../../gateway/rest-row.ts'
import { restV1 } from '../../gateway/rest-v1.ts'
import { restV2 } from '../../gateway/rest-v2.ts'
import { examplesOf, shapesOf, shownOf } from './examples.ts'
import { type ExamplesLab, openExamplesLab, type Ran } from './examples-lab.ts'

const pages = ['rest-api', 'team', 'coming-from-v1']
const rows = [...restV2, ...restV1]

let lab: ExamplesLab
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of documents
const descriptions: Record<string, any> = {}
const answered = new Map<RestRow, Ran>()
const shapes = new Set<string>()
beforeAll(async () => {
  lab = await openExamplesLab()
  for (const version of ['v1', 'v2']) {
    descriptions[version] = (await lab.lectern.call('GET', `/api/${version}/openapi.json`)).body
  }
}, 240_000)
afterAll(() => lab.close())

const rowOf = ({ method, path }: Ran) =>
  rows.find((row) => row.method === method && toPattern(row.path).test(path.replace(/\/?$/, '/')))

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function faultsOf({ body, status }: Ran, row: RestRow): unknown {
  const description = descriptions[row.path.split('/')[2]!]
  const { schema } =
    description.paths[row.path][row.method.toLowerCase()].responses[status].content['application/json']
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'description', ...description })
  const where = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/'))
  return ajv.validate(where, JSON.parse(body)) ? null : ajv.errors
}

const examples = pages.flatMap(examplesOf)

test.each(examples.map(({ place, command }) => [place, command]))('%s %s', async (_place, command) => {
  const ran = await lab.run(command)
  const row = rowOf(ran)
  expect(row, `${ran.method} ${ran.path}`).toBeDefined()
  const { status, also } = row!
  expect([status, also?.status], `${ran.status} ${ran.body}`).toContain(ran.status)
  answered.set(row!, ran)
  if (ran.body === '' || /^text\/(csv|event-stream)/.test(ran.type)) return
  expect(faultsOf(ran, row!)).toBeNull()
  for (const shape of shapesOf(JSON.parse(ran.body))) shapes.add(shape)
})

test('responses in the manual have exactly the fields of real ones', () => {
  const strange = pages.flatMap(shownOf).flatMap(({ place, json }) => {
    const unlike = shapesOf(json).filter((shape) => !shapes.has(shape))
    return unlike.map((shape) => `${place}: ${shape}`)
  })
  expect(strange).toEqual([])
})

test('every endpoint has an example', () => {
  const without = rows.filter((row) => !answered.has(row)).map((row) => `${row.method} ${row.path}`)
  expect(without).toEqual([])
})
