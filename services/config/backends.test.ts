// Which server variables a role needs, and that no message shows a password.
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../config.ts'
import type { Environment } from './variable.ts'

const key = 'an-admin-key-for-tests'
const secret = Buffer.alloc(32, 1).toString('base64')
const mongo = { LECTERN_MONGODB_URL: 'mongodb://u:hunter2@db:27017/lectern' }
const weaviate = { LECTERN_WEAVIATE_URL: 'http://index:8080/', LECTERN_WEAVIATE_GRPC: 'index:50051' }
const temporal = { LECTERN_TEMPORAL_ADDRESS: 'runs:7233' }
const secrets = { LECTERN_ADMIN_KEY: key, LECTERN_SECRET: secret }
const servers = { ...mongo, ...weaviate, ...temporal }
const without = (environment: Environment, name: string) => ({ ...environment, [name]: '' })

test('reads addresses', () => {
  expect(readConfig({ ...servers, ...secrets })).toMatchObject({
    mongodb: 'mongodb://u:hunter2@db:27017/lectern',
    weaviate: { url: 'http://index:8080', grpc: 'index:50051', key: null },
    temporal: { address: 'runs:7233', namespace: 'default', key: null },
  })
  expect(readConfig({ ...temporal, LECTERN_TEMPORAL_NAMESPACE: 'docs' }).temporal?.namespace).toBe('docs')
  expect(readConfig({ ...temporal, LECTERN_TEMPORAL_KEY: 'k' }).temporal?.key).toBe('k')
  expect(readConfig({ ...weaviate, LECTERN_WEAVIATE_KEY: 'k' }).weaviate?.key).toBe('k')
  expect(readConfig({ LECTERN_CORE_URL: 'http://a:1, https://b/' }).coreUrls).toEqual([
    'http://a:1',
    'https://b',
  ])
})

const good: [what: string, environment: Environment][] = [
  ['all without variables', {}],
  ['all with only MongoDB', { ...mongo, ...secrets }],
  ['all with only Weaviate', weaviate],
  ['all with only Temporal', temporal],
  ['core with all servers', { LECTERN_ROLE: 'core', ...servers, ...secrets }],
  ['worker with everything', { LECTERN_ROLE: 'worker', ...servers, ...secrets }],
  ['gateway', { LECTERN_ROLE: 'gateway', LECTERN_CORE_URL: 'http://core:50051', LECTERN_SECRET: secret }],
]

test.each(good)('%s starts', (_, environment) => {
  expect(() => readConfig(environment)).not.toThrow()
})

const core = { LECTERN_ROLE: 'core', ...servers, ...secrets }
const worker = { ...core, LECTERN_ROLE: 'worker' }
const gateway = { LECTERN_ROLE: 'gateway', LECTERN_CORE_URL: 'http://core:50051', LECTERN_SECRET: secret }

const bad: [name: string, environment: Environment][] = [
  ...[core, worker].flatMap((role) =>
    ['MONGODB_URL', 'WEAVIATE_URL', 'WEAVIATE_GRPC', 'TEMPORAL_ADDRESS', 'ADMIN_KEY', 'SECRET']
      .map((name) => `LECTERN_${name}`)
      .map((name): [string, Environment] => [name, without(role, name)]),
  ),
  ['LECTERN_CORE_URL', without(gateway, 'LECTERN_CORE_URL')],
  ['LECTERN_SECRET', without(gateway, 'LECTERN_SECRET')],
  ['LECTERN_ADMIN_KEY', { ...mongo, LECTERN_SECRET: secret }],
  ['LECTERN_SECRET', { ...mongo, LECTERN_ADMIN_KEY: key }],
  ['LECTERN_WEAVIATE_URL', { LECTERN_WEAVIATE_GRPC: 'index:50051' }],
  ['LECTERN_WEAVIATE_URL', { LECTERN_WEAVIATE_KEY: 'hunter2' }],
  ['LECTERN_TEMPORAL_ADDRESS', { LECTERN_TEMPORAL_NAMESPACE: 'docs' }],
  ['LECTERN_TEMPORAL_ADDRESS', { LECTERN_TEMPORAL_KEY: 'hunter2' }],
  ['LECTERN_TEMPORAL_KEY', { ...temporal, LECTERN_TEMPORAL_KEY: 'hunter2 hunter2' }],
  ['LECTERN_MONGODB_URL', { ...secrets, LECTERN_MONGODB_URL: 'postgres://u:hunter2@db/x' }],
  ['LECTERN_MONGODB_URL', { ...secrets, LECTERN_MONGODB_URL: 'http://u:hun/ter@hunter2@db/x?p=hunter2' }],
  ['LECTERN_WEAVIATE_URL', { ...weaviate, LECTERN_WEAVIATE_URL: 'http://u:hunter2@index' }],
  ['LECTERN_WEAVIATE_GRPC', { ...weaviate, LECTERN_WEAVIATE_GRPC: 'http://index:50051' }],
  ['LECTERN_WEAVIATE_KEY', { ...weaviate, LECTERN_WEAVIATE_KEY: 'hunter2 hunter2' }],
  ['LECTERN_TEMPORAL_ADDRESS', { LECTERN_TEMPORAL_ADDRESS: 'runs' }],
  ['LECTERN_TEMPORAL_ADDRESS', { LECTERN_TEMPORAL_ADDRESS: 'runs:0' }],
  ['LECTERN_TEMPORAL_NAMESPACE', { ...temporal, LECTERN_TEMPORAL_NAMESPACE: 'a b' }],
  ['LECTERN_CORE_URL', { LECTERN_CORE_URL: 'core:50051' }],
  ['LECTERN_CORE_URL', { LECTERN_CORE_URL: 'http://a:1,' }],
]

test.each(bad)('%s stops the start with one line that names the variable: %o', (name, environment) => {
  const start = () => readConfig(environment)
  expect(start).toThrow(ConfigError)
  expect(start).toThrow(new RegExp(`^${name}: got [^\n]+, takes [^\n]+$`))
  expect(start).not.toThrow(/hunter2|hun\/ter/)
})
