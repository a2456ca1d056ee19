// Whether tests that need real servers can run here, and if not, why.
import { missingServers } from './binaries.ts'

/**
 * For `describe.skipIf(!serversAvailable)`. CI requires the servers: if one is missing there, this module throws, and
 * the test file that imports it fails.
 */
export const serversAvailable = missingServers().length === 0

if (!serversAvailable && process.env.CI) {
  throw new Error(`CI needs the servers of test/servers; missing: ${missingServers().join(', ')}.`)
}
