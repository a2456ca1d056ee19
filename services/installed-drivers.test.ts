import { expect, test } from 'vitest'
import { ConfigError } from './config/variable.ts'
import { checkDrivers } from './drivers.ts'

const servers = {
  role: 'all' as const,
  mongodb: 'mongodb://ann:secret@db/lectern',
  weaviate: { url: 'http://w:8080', grpc: 'w:50051', key: null },
  temporal: { address: 't:7233', namespace: 'default', key: null },
}
const none = { role: 'all' as const, mongodb: null, weaviate: null, temporal: null }

const cases = [
  ['mongodb', 'LECTERN_MONGODB_URL', 'mongodb'],
  ['weaviate', 'LECTERN_WEAVIATE_URL', 'weaviate-client'],
  ['temporal', 'LECTERN_TEMPORAL_ADDRESS', '@temporalio/client'],
] as const

test.each(cases)(
  'a missing package for %s fails with one line that names the command to install it',
  (setting, variable, name) => {
    const check = () => checkDrivers({ ...none, [setting]: servers[setting] }, () => false)
    expect(check).toThrow(ConfigError)
    expect(check).toThrow(
      `${variable}: the package ${name} is not installed; "npm run install-production" in Lectern's folder installs it.`,
    )
  },
)

test('accepts drivers that are installed or not needed', () => {
  checkDrivers(none, () => false)
  checkDrivers(servers, () => true)
  // The tests have the packages installed.
  checkDrivers(servers)
})

test('requires no driver for a gateway', () => {
  checkDrivers({ ...servers, role: 'gateway' }, () => false)
})
